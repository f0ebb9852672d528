import { randomBytes } from 'node:crypto';
import { newApiKey, newLauncherKey, newOperatorKey } from '../../../../deploy/operations/keys/new-keys.ts';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { catalogObject } from '#libs/catalog/catalog-objects.ts';
import type { CatalogObject } from '#libs/catalog/catalog-objects.ts';
import { createKeyChanges } from '#libs/catalog/key-changes.ts';

const startMs = Date.parse('2026-11-20T00:00:00Z');
const api = (game: string, notAfter?: string) =>
  newApiKey({ game, env: 'dev', notAfter, randomBytes: randomBytes(40) });

const world = (kind: CatalogObject['kind']) => {
  const noted: unknown[][] = [];
  const state = { nowMs: startMs, objects: [] as readonly CatalogObject[] };
  const [objects, clock] = [() => state.objects, () => state.nowMs];
  const catalog = createCatalog(objects, clock);
  const look = createKeyChanges({ objects, kind, catalog, clock, note: (...event) => noted.push(event) });
  const load = (...stored: unknown[]) => {
    state.objects = stored.map((each) => catalogObject.parse(each));
    look();
    return noted.splice(0);
  };
  return { state, catalog, load, look, noted };
};

describe('keys that come and go are security events (D-47)', () => {
  test('those that were there at the start have not come; later ones have', () => {
    const { load } = world('Game');
    const [first, second] = [api('starfall'), api('moonrise')];

    expect(load(first.stored)).toEqual([]);
    expect(load(first.stored, second.stored)).toEqual([
      ['key.created', { kind: 'api-key', gameId: 'moonrise', keyId: second.stored.spec.keys[0]!.id }],
    ]);
  });

  test('one that is taken out says when it was used for the last time', () => {
    const { load, catalog, state } = world('Game');
    const { key, stored } = api('starfall');
    load(stored);
    state.nowMs += 5_000;
    catalog.gameOfKey(key);
    state.nowMs += 60_000;

    expect(load()).toEqual([
      [
        'key.revoked',
        expect.objectContaining({ gameId: 'starfall', lastUsedAt: '2026-11-20T00:00:05.000Z' }),
      ],
    ]);
  });

  test('an operator’s too', () => {
    const { load, catalog } = world('Operator');
    const order = { name: 'jisoo', env: 'dev', roles: ['close-day'] as const };
    const { key, stored } = newOperatorKey({ ...order, randomBytes: randomBytes(40) });
    load(stored);
    catalog.operatorOfKey(key);

    expect(load()).toEqual([
      ['key.revoked', expect.objectContaining({ operator: 'jisoo', lastUsedAt: '2026-11-20T00:00:00.000Z' })],
    ]);
  });

  test('a launcher key is told by its cafe', () => {
    const { load, catalog } = world('Secret');
    const stored = newLauncherKey({ cafe: 'cafe-1', name: 'k1', secretBytes: randomBytes(32) });
    load(stored, api('starfall').stored);
    catalog.markUsed('cafe-1.k1');

    expect(load()).toEqual([
      [
        'key.revoked',
        {
          kind: 'launcher-key',
          cafeId: 'cafe-1',
          keyId: 'cafe-1.k1',
          lastUsedAt: '2026-11-20T00:00:00.000Z',
        },
      ],
    ]);
  });

  test('one that gets another secret under its id, or may no longer be shared, is taken out and comes', () => {
    const { load } = world('Secret');
    const newKey = () => newLauncherKey({ cafe: 'cafe-1', name: 'k1', secretBytes: randomBytes(32) });
    const [first, second] = [newKey(), newKey()];
    const refused = { ...second, stringData: { ...second.stringData, shared: 'refused' } };
    const more = { ...refused, stringData: { ...refused.stringData, pcs: '40' } };
    load(first);

    for (const next of [second, refused])
      expect(load(next).map(([event]) => event)).toEqual(['key.revoked', 'key.created']);
    expect(load(more)).toEqual([]);
  });

  test('one that expires is told once, and one that had expired before is not', () => {
    const { load, look, state, noted } = world('Game');
    const keys = [api('starfall', '2026-11-20T00:01:00Z'), api('moonrise', '2026-11-19T00:00:00Z')];
    expect(load(...keys.map(({ stored }) => stored))).toEqual([]);

    for (const seconds of [59, 1, 1]) {
      state.nowMs += seconds * 1_000;
      look();
    }

    expect(noted).toEqual([['key.expired', expect.objectContaining({ gameId: 'starfall' })]]);
  });

  test('one that another owner has now is taken out and comes', () => {
    const { load } = world('Game');
    const { stored } = api('starfall');
    load(stored);

    const [gone, come] = load({ ...stored, metadata: { name: 'moonrise' } });

    expect(gone).toEqual(['key.revoked', expect.objectContaining({ gameId: 'starfall' })]);
    expect(come).toEqual(['key.created', expect.objectContaining({ gameId: 'moonrise' })]);
  });

  test('one that is made good again comes, and one that an edit makes expire has expired', () => {
    const { load } = world('Game');
    const { stored } = api('starfall');
    const until = (notAfter: string) => {
      const [key] = stored.spec.keys;
      return { ...stored, spec: { ...stored.spec, keys: [{ ...key, notAfter }] } };
    };
    load(stored);

    const events = ['2026-11-19T00:00:00Z', '2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z'].flatMap((at) =>
      load(until(at)).map(([event]) => event),
    );

    expect(events).toEqual(['key.expired', 'key.created']);
  });

  test('why a key is nobody’s is told apart', () => {
    const { load, catalog } = world('Game');
    const [good, expired] = [api('starfall'), api('moonrise', '2026-11-19T00:00:00Z')];
    const other = newApiKey({
      ...{ game: 'starfall', env: 'dev' },
      randomBytes: Buffer.concat([Buffer.alloc(8), randomBytes(32)]),
    });
    const same = newApiKey({
      ...{ game: 'starfall', env: 'dev' },
      randomBytes: Buffer.concat([Buffer.alloc(8), randomBytes(32)]),
    });
    load(good.stored, expired.stored, { ...other.stored, metadata: { name: 'third' } });

    const reasons = ['nonsense', api('starfall').key, same.key, expired.key].map((key) =>
      catalog.refusalOf(key),
    );
    expect(reasons.map(({ reason }) => reason)).toEqual(['malformed', 'unknown_key', 'mismatch', 'expired']);
    expect(reasons[0]).not.toHaveProperty('keyId');
  });
});
