import type { CatalogObject } from './catalog-objects.ts';

/** So that one can replace the other (D-14). */
export const maxLauncherKeys = 2;

/** What may be claimed once in a catalogue. */
export const claimsOf = (object: CatalogObject): string[] =>
  object.kind === 'Secret'
    ? [`launcher key ${object.metadata.name}`]
    : [`game ${object.metadata.name}`, ...object.spec.keys.map(({ id }) => `API key id ${id}`)];

/**
 * What objects that are right each for itself get wrong together: a game, an API key's short id or a launcher key that stands twice, a
 * cafe with more than two launcher keys (D-14). Each problem names its places.
 */
export const findConflicts = (
  places: Iterable<readonly [where: string, objects: readonly CatalogObject[]]>,
): string[] => {
  const claimed = new Map<string, string>();
  const keysOfCafe = new Map<string, number>();
  const problems: string[] = [];
  const look = (where: string, object: CatalogObject) => {
    for (const claim of claimsOf(object)) {
      const first = claimed.get(claim);
      if (first !== undefined) problems.push(`${where}: ${claim} stands already in ${first}`);
      claimed.set(claim, first ?? where);
    }
    if (object.kind !== 'Secret') return;
    const cafe = object.stringData.cafe_id;
    const count = (keysOfCafe.get(cafe) ?? 0) + 1;
    keysOfCafe.set(cafe, count);
    if (count === maxLauncherKeys + 1) problems.push(`${where}: a third launcher key of ${cafe}`);
  };
  for (const [where, objects] of places) for (const object of objects) look(where, object);
  return problems;
};
