import { randomBytes } from 'node:crypto';
import { isAccepted } from '../../../../deploy/supply-chain/bill-of-materials.ts';
import { secretsIn } from '../../../../deploy/supply-chain/find-secrets.ts';
import { newApiKey } from '../../../../deploy/operations/keys/new-keys.ts';

/** Made here, so that the repository holds none. */
const { key } = newApiKey({ game: 'starfall', env: 'live', randomBytes: randomBytes(40) });
const letters = (count: number) => 'aB3'.repeat(count).slice(0, count);

test.each([
  ['a key of gsb', key],
  ['a private key', ['-----BEGIN EC', 'PRIVATE KEY-----'].join(' ')],
  ['a key of AWS', `AKIA${'X7'.repeat(8)}`],
  ['a token of GitHub', `ghp_${letters(36)}`],
  ['a token of npm', `npm_${letters(36)}`],
  ['a password in a URL', `postgres://gsb:${letters(12)}@db/gsb`],
])('%s in a file is found, and is not told', (what, secret) => {
  expect(secretsIn(`first line\nconst x = '${secret}';\n`)).toEqual([`2: ${what}`]);
});

test.each(['gsb_dev_…', 'postgres://gsb:…@db', 'postgres://db/gsb', 'redis://${user}:${password}@host'])(
  'no secret is seen in %s',
  (text) => {
    expect(secretsIn(text)).toEqual([]);
  },
);

test.each([
  ['MIT', true],
  ['Apache-2.0 AND MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['GPL-3.0-only', false],
  ['MIT AND GPL-3.0-only', false],
  ['', false],
])('the licence %j is accepted: %s', (licence, expected) => {
  expect(isAccepted(licence, ['MIT', 'Apache-2.0'])).toBe(expected);
});
