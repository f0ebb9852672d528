import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { hashApiKey, parseApiKey } from '#libs/catalog/api-key-format.ts';
import { createCatalog } from '#libs/catalog/catalog.ts';
import type { CatalogObject } from '#libs/catalog/catalog-objects.ts';
import { mintApiKey } from '../../../../deploy/operations/keys/mint-api-key.ts';

const mint = (shortId = 'abcd1234') => mintApiKey({ env: 'dev', shortId, secretBytes: randomBytes(32) });
const base62 = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const nowMs = Date.parse('2026-11-20T00:00:00Z');
const game = (name: string, keys: { id: string; sha256: string; notAfter?: string }[]): CatalogObject => ({
  apiVersion: 'gsb.dev/v1',
  kind: 'Game',
  metadata: { name },
  spec: { displayName: name, outagePolicy: 'continue', keys },
});

describe('an API key (spec 5)', () => {
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

  test('the checksum detects a typo in any one character, without a look-up', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const anyCharacter = fc.constantFrom(...base62, '_', '-', ' ');
    fc.assert(
      fc.property(bytes, fc.nat(), anyCharacter, (secretBytes, where, other) => {
        const key = mintApiKey({ env: 'dev', shortId: 'abcd1234', secretBytes });
        const at = where % key.length;
        fc.pre(key[at] !== other);

        expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  test('every typo of one character in a key is detected', () => {
    const key = mint();
    const typos = Array.from(key, (right, at) =>
      base62.filter((other) => other !== right).map((other) => key.slice(0, at) + other + key.slice(at + 1)),
    ).flat();

    expect(typos.filter((typo) => parseApiKey(typo) !== undefined)).toEqual([]);
  });

  test.each([
    ['a character less', (key: string) => key.slice(0, -1)],
    ['a character more', (key: string) => `${key}0`],
    ['a line break behind it', (key: string) => `${key}\n`],
    ['a blank before it', (key: string) => ` ${key}`],
    ['two neighbours that changed places', (key: string) => key.replace('abcd1234', 'bacd1234')],
    ['nothing', () => ''],
  ])('%s: no key', (_, change) => {
    expect(parseApiKey(change(mint()))).toBeUndefined();
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
