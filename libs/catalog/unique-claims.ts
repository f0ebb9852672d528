import type { CatalogObject } from './catalog-objects.ts';

/** How many launcher keys a cafe may have at a time: two, so that one can replace the other (D-14). */
export const maxLauncherKeys = 2;

/** The names and key ids in an object that may exist only once in a catalog. */
const claimsOf = (object: CatalogObject): string[] =>
  object.kind === 'Secret'
    ? [`launcher key ${object.metadata.name}`]
    : [
        `${object.kind.toLowerCase()} ${object.metadata.name}`,
        ...object.spec.keys.map(({ id }) => `API key id ${id}`),
      ];

const cafeOf = (object: CatalogObject): string | undefined =>
  object.kind === 'Secret' ? object.stringData.cafe_id : undefined;

/** What objects that are each valid may still get wrong together: a name or key id used twice, a third launcher key of a cafe (D-14). */
export const createClaims = () => {
  const holders = new Map<string, string>();
  const keysOfCafe = new Map<string, number>();
  return {
    /** Why the object cannot stand beside those added before; empty when it can. `place`: what messages call the object. */
    conflicts: (place: string, object: CatalogObject): string[] => {
      const claims = claimsOf(object);
      const taken = claims.flatMap((claim, index) => {
        const holder = holders.get(claim) ?? (claims.indexOf(claim) < index ? place : undefined);
        return holder === undefined ? [] : [`${claim} stands already in ${holder}`];
      });
      const cafe = cafeOf(object);
      const isThird = cafe !== undefined && keysOfCafe.get(cafe) === maxLauncherKeys;
      return isThird ? [...taken, `a third launcher key of ${cafe}`] : taken;
    },
    /** From now on the object's names are taken. */
    add: (place: string, object: CatalogObject): void => {
      for (const claim of claimsOf(object)) if (!holders.has(claim)) holders.set(claim, place);
      const cafe = cafeOf(object);
      if (cafe !== undefined) keysOfCafe.set(cafe, (keysOfCafe.get(cafe) ?? 0) + 1);
    },
  };
};

/** Every conflict among the objects of all places (files), each with the name of its place. */
export const findConflicts = (
  places: Iterable<readonly [place: string, objects: readonly CatalogObject[]]>,
): string[] => {
  const claims = createClaims();
  const problems: string[] = [];
  for (const [place, objects] of places) {
    for (const object of objects) {
      problems.push(...claims.conflicts(place, object).map((problem) => `${place}: ${problem}`));
      claims.add(place, object);
    }
  }
  return problems;
};
