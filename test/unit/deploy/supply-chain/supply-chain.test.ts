import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { isAccepted } from '../../../../deploy/supply-chain/bill-of-materials.ts';
import { secretsIn } from '../../../../deploy/supply-chain/find-secrets.ts';
import { allowedScripts, scriptProblems } from '../../../../deploy/supply-chain/install-scripts.ts';
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

describe('an install script', () => {
  test('that may run has a reason, and no reason is left over', () => {
    const found = { allowed: ['node', 'left-pad'], inProduction: [] };

    expect(scriptProblems(found, { node: 'fetches Node', gone: 'was needed once' })).toEqual([
      'left-pad may run scripts without a reason',
      'gone has a reason for scripts that it may not run',
    ]);
  });

  test('is of no package that the image has, where none runs', () => {
    expect(allowedScripts(resolve(import.meta.dirname, '../../../..')).inProduction).toEqual([]);
    expect(scriptProblems({ allowed: ['pg'], inProduction: ['pg'] }, { pg: 'builds itself' })).toEqual([
      'pg is in the image, where no script runs',
    ]);
  });
});
