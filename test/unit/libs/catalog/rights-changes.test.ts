import { catalogObject } from '#libs/catalog/catalog-objects.ts';
import type { CatalogObject } from '#libs/catalog/catalog-objects.ts';
import { createRightsChanges } from '#libs/catalog/rights-changes.ts';

const operator = (name: string, spec: Record<string, unknown>) =>
  catalogObject.parse({
    apiVersion: 'gsb.dev/v1',
    kind: 'Operator',
    metadata: { name },
    spec: { keys: [], ...spec },
  });

/** A catalog that is looked at after each change, and what was noted of it. */
const world = () => {
  const noted: unknown[][] = [];
  let stored: readonly CatalogObject[] = [];
  const look = createRightsChanges({ objects: () => stored, note: (...event) => noted.push(event) });
  return (...objects: readonly CatalogObject[]) => {
    stored = objects;
    look();
    return noted.splice(0);
  };
};

describe('what operators may is a security event when it changes (D-47)', () => {
  test('of those that were there at the start nothing is noted', () => {
    expect(world()(operator('jisoo', { roles: ['close-day'] }))).toEqual([]);
  });

  test('another role, or another reach, is told with what was before', () => {
    const load = world();
    load(operator('jisoo', { roles: ['statements:read'], cafes: ['cafe-2', 'cafe-1'] }));

    expect(load(operator('jisoo', { roles: ['statements:read', 'close-day'], games: ['starfall'] }))).toEqual(
      [
        [
          'operator.changed',
          {
            operator: 'jisoo',
            from: 'roles: statements:read, cafes: cafe-1 cafe-2, games: all',
            to: 'roles: close-day statements:read, cafes: all, games: starfall',
          },
        ],
      ],
    );
  });

  test('who comes had no rights before, and who goes has none after', () => {
    const load = world();
    load(operator('jisoo', { roles: ['close-day'] }));

    expect(load(operator('minho', { roles: ['dead-letters'] }))).toEqual([
      [
        'operator.changed',
        { operator: 'jisoo', from: 'roles: close-day, cafes: all, games: all', to: undefined },
      ],
      [
        'operator.changed',
        { operator: 'minho', from: undefined, to: 'roles: dead-letters, cafes: all, games: all' },
      ],
    ]);
  });

  test('the same in another order is no change, and neither is another key', () => {
    const load = world();
    load(operator('jisoo', { roles: ['close-day', 'statements:read'] }));

    const key = { id: 'abcd1234', sha256: 'a'.repeat(64) };
    expect(load(operator('jisoo', { roles: ['statements:read', 'close-day'], keys: [key] }))).toEqual([]);
  });

  test('of a thousand cafes twenty are named, and one among the others that changes is told', () => {
    const load = world();
    const cafes = Array.from({ length: 1_000 }, (_, count) => `cafe-${1_000 + count}`);
    load(operator('jisoo', { roles: ['close-day'], cafes }));

    const [[, told] = []] = load(
      operator('jisoo', { roles: ['close-day'], cafes: [...cafes.slice(1), 'z'] }),
    );

    const { from, to } = told as { from: string; to: string };
    expect(from).toMatch(/cafes: cafe-1000 .* cafe-1019 and 980 more \([^ ]+\), games: all$/);
    expect(to).not.toBe(from);
  });
});
