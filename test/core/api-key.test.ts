import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { hashApiKey, mintApiKey, parseApiKey } from '#libs/catalog/api-key.ts';
import { createCatalog } from '#libs/catalog/catalog.ts';
import type { CatalogObject } from '#libs/catalog/objects.ts';

const mint = (shortId = 'abcd1234') => mintApiKey({ env: 'dev', shortId, secretBytes: randomBytes(32) });
const nowMs = Date.parse('2026-11-20T00:00:00Z');
const game = (name: string, keys: { id: string; sha256: string; notAfter?: string }[]): CatalogObject => ({
  apiVersion: 'gsb.dev/v1',
  kind: 'Game',
  metadata: { name },
  spec: { displayName: name, outagePolicy: 'continue', keys },
});

describe('an API key (spec part 5, architecture part 6)', () => {
  test('says its environment and its short id, and nothing else', () => {
    expect(parseApiKey(mint())).toEqual({ env: 'dev', shortId: 'abcd1234' });
  });

  test('whatever its random bytes, it has one form', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, (secretBytes) => {
        expect(parseApiKey(mintApiKey({ env: 'live', shortId: 'zzzz0000', secretBytes }))).toEqual({
          env: 'live',
          shortId: 'zzzz0000',
        });
      }),
    );
  });

  test('a typo in any one character is told by the checksum, without a look-up', () => {
    const key = mint();

    for (let at = 0; at < key.length; at += 1) {
      const typo = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
      expect(parseApiKey(typo)).toBeUndefined();
    }
  });

  test('two keys of a game are live at once; a removed one and one past its not-after are not', () => {
    const [first, second, late] = [mint('aaaa1111'), mint('bbbb2222'), mint('cccc3333')];
    const stored = (key: string, notAfter?: string) => ({
      id: key.split('_')[2]!,
      sha256: hashApiKey(key),
      ...(notAfter && { notAfter }),
    });
    let objects = [
      game('starfall', [stored(first), stored(second)]),
      game('moonrise', [stored(late, '2026-11-19T00:00:00Z')]),
    ];
    const catalog = createCatalog(
      () => objects,
      () => nowMs,
    );

    expect([first, second].map((key) => catalog.gameOfKey(key)?.gameId)).toEqual(['starfall', 'starfall']);
    expect(catalog.gameOfKey(late)).toBeUndefined();
    objects = [game('starfall', [stored(second)])];
    expect([first, second].map((key) => catalog.gameOfKey(key)?.gameId)).toEqual([undefined, 'starfall']);
  });

  test('another secret under the same short id is refused', () => {
    const key = mint();
    const catalog = createCatalog(
      () => [game('starfall', [{ id: 'abcd1234', sha256: hashApiKey(key) }])],
      () => nowMs,
    );

    expect(catalog.gameOfKey(mint())).toBeUndefined();
  });
});
