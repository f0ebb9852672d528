import { randomBytes } from 'node:crypto';
import { newApiKey, newLauncherKey } from '../../../../deploy/operations/keys/new-keys.ts';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { keysRunOutAt } from '#libs/catalog/measured.ts';
import { findConflicts } from '#libs/catalog/unique-claims.ts';
import { catalogObject } from '#libs/catalog/catalog-objects.ts';

const make = (game: string, notAfter?: string) =>
  newApiKey({ game, env: 'dev', notAfter, randomBytes: randomBytes(40) });
const launcherKey = (cafe: string, name = 'k1') =>
  catalogObject.parse(newLauncherKey({ cafe, name, secretBytes: randomBytes(32) }));
const nowMs = Date.parse('2026-11-20T00:00:00Z');
const catalogOf = (...stored: unknown[]) => {
  const objects = stored.map((each) => catalogObject.parse(each));
  return createCatalog(
    () => objects,
    () => nowMs,
  );
};

describe('what `npm run key` makes', () => {
  test('is valid in the catalog, and authenticates its game only', () => {
    const [starfall, moonrise] = [make('starfall'), make('moonrise')];
    const catalog = catalogOf(starfall.stored, moonrise.stored);

    expect(catalog.gameOfKey(starfall.key)?.gameId).toBe('starfall');
    expect(catalog.gameOfKey(moonrise.key)?.gameId).toBe('moonrise');
    expect(catalog.gameOfKey(make('starfall').key)).toBeUndefined();
  });

  test('keeps the key out of what is stored', () => {
    const { key, stored } = make('starfall');
    const [, , id, secret] = key.split('_');

    expect(JSON.stringify(stored)).toContain(id);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test.each([
    ['a millisecond before its not-after works', '2026-11-20T00:00:00.001Z', 'starfall'],
    ['at its not-after does not', '2026-11-20T00:00:00Z', undefined],
    ['after it does not', '2026-11-19T00:00:00Z', undefined],
  ])('%s', (_, notAfter, gameId) => {
    const { key, stored } = make('starfall', notAfter);

    expect(catalogOf(stored).gameOfKey(key)?.gameId).toBe(gameId);
  });

  test.each([0, 31, 63])('a hash that differs in digit %i only is another', (at) => {
    const { key, stored } = make('starfall');
    const [entry] = stored.spec.keys;
    const sha256 = entry!.sha256.replace(/./g, (digit, index) =>
      index === at ? (digit === '0' ? '1' : '0') : digit,
    );

    expect(
      catalogOf({ ...stored, spec: { ...stored.spec, keys: [{ ...entry, sha256 }] } }).gameOfKey(key),
    ).toBeUndefined();
  });

  test('as a launcher key names its cafe, whatever letters the cafe has', () => {
    const key = launcherKey('Cafe_Jeju-1');

    expect(catalogOf(key).launcherKey(key.metadata.name)).toMatchObject({ cafeId: 'Cafe_Jeju-1' });
  });
});

describe('a catalog', () => {
  test('three keys of a game are refused: at most two are live', () => {
    const [first, ...more] = [make('starfall'), make('starfall'), make('starfall')];
    const keys = [first, ...more].flatMap(({ stored }) => stored.spec.keys);

    const { error } = catalogObject.safeParse({ ...first.stored, spec: { displayName: 'S', keys } });

    expect(error?.issues[0]?.message).toBe('at most two keys of a game are live');
  });

  test('the same short id in two games is refused, and both places are named', () => {
    const one = catalogObject.parse(make('starfall').stored);
    const other = catalogObject.parse({
      ...make('moonrise').stored,
      spec: { displayName: 'Moonrise', keys: one.kind === 'Game' ? one.spec.keys : [] },
    });

    expect(
      findConflicts([
        ['a.yaml', [one]],
        ['b.yaml', [other]],
      ]),
    ).toEqual([expect.stringMatching(/^b\.yaml: API key id \w{8} stands already in a\.yaml$/)]);
  });

  test('the same game twice, the same launcher key twice and a third key of a cafe are refused', () => {
    const game = () => catalogObject.parse(make('starfall').stored);
    const keys = ['k1', 'k2', 'k2', 'k3'].map((name) => launcherKey('cafe-1', name));

    expect(findConflicts([['games.yaml', [game(), game()]]])).toEqual([
      'games.yaml: game starfall stands already in games.yaml',
    ]);
    expect(findConflicts(keys.map((key, at) => [`${at}.yaml`, [key]]))).toEqual([
      '2.yaml: launcher key cafe-1.k2 stands already in 1.yaml',
      '2.yaml: a third launcher key of cafe-1',
    ]);
  });

  test('two keys of a game and two of a cafe are right', () => {
    const [one, other] = [make('starfall'), make('starfall')];
    const keys = [...one.stored.spec.keys, ...other.stored.spec.keys];
    const game = catalogObject.parse({ ...one.stored, spec: { displayName: 'S', keys } });

    expect(findConflicts([['a', [game, launcherKey('cafe-1'), launcherKey('cafe-1', 'k2')]]])).toEqual([]);
  });
});

test('a game whose last key ends is told of before; one that a newer key outlasts, and one that is without already, are not', () => {
  const soon = '2026-11-22T00:00:00Z';
  const [lapsing, over, lasting] = [
    make('starfall', soon),
    make('moonrise', '2026-11-19T00:00:00Z'),
    make('dawn'),
  ];
  const objectOf = (stored: unknown) => catalogObject.parse(stored);
  const rotated = objectOf(make('dusk', soon).stored);
  const successor = objectOf(make('dusk').stored);
  if (rotated.kind === 'Game' && successor.kind === 'Game') rotated.spec.keys.push(...successor.spec.keys);
  const quiet = [...[over.stored, lasting.stored, launcherKey('cafe-1')].map(objectOf), rotated];

  expect(keysRunOutAt(quiet, 'Game', nowMs)).toBe(0);
  expect(keysRunOutAt([...quiet, objectOf(lapsing.stored)], 'Game', nowMs)).toBe(Date.parse(soon) / 1000);
  expect(keysRunOutAt([objectOf(lapsing.stored)], 'Operator', nowMs)).toBe(0);
});
