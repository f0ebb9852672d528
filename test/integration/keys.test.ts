import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { parseApiKey } from '#libs/catalog/api-key-format.ts';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { catalogObject, gameObject, launcherKeyObject } from '#libs/catalog/catalog-objects.ts';

const cli = resolve(import.meta.dirname, '../../deploy/operations/keys/main.ts');
/** A kubeconfig whose server nobody is. */
const nowhere = join(mkdtempSync(join(tmpdir(), 'gsb-keys-')), 'kubeconfig.yaml');
writeFileSync(
  nowhere,
  stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'nowhere' },
    clusters: [{ name: 'nowhere', cluster: { server: 'https://127.0.0.1:9' } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'nowhere', context: { cluster: 'nowhere', user: 'nobody' } }],
  }),
);
afterAll(() => rmSync(dirname(nowhere), { recursive: true }));

const run = (...args: string[]) => promisify(execFile)(process.execPath, [cli, ...args]);

describe('npm run key', () => {
  test('makes a key for a game: shown once, and the Game to store knows it by its hash', async () => {
    const { stdout } = await run(
      ...['create', '--game', 'starfall', '--display-name', 'Star Fall', '--env', 'live'],
      ...['--not-after', '2099-01-01T00:00:00Z'],
    );

    const [key = '', ...more] = stdout.match(/gsb_\w+/g) ?? [];
    const game = gameObject.parse(parse(stdout.replace(key, '')));
    const catalog = createCatalog(() => [game], Date.now);
    expect(more).toEqual([]);
    expect(parseApiKey(key)).toEqual({ env: 'live', shortId: game.spec.keys[0]?.id });
    expect(game.spec).toMatchObject({
      displayName: 'Star Fall',
      keys: [{ notAfter: '2099-01-01T00:00:00Z' }],
    });
    expect(catalog.gameOfKey(key)).toMatchObject({ gameId: 'starfall', name: 'Star Fall' });
  });

  test('makes another key each time', async () => {
    const [one, other] = await Promise.all([run('create', '--game', 'a'), run('create', '--game', 'a')]);

    expect(one.stdout).not.toBe(other.stdout);
  });

  test('makes a launcher key for a cafe, as the Secret to store', async () => {
    const { stdout } = await run('create', '--launcher', '--cafe', 'cafe-seoul-01', '--name', 'k2');

    const secret = launcherKeyObject.parse(parse(stdout));
    expect(secret.metadata.name).toBe('cafe-seoul-01.k2');
    expect(Buffer.from(secret.stringData.secret, 'base64')).toHaveLength(32);
    expect(catalogObject.parse(secret)).toMatchObject({ stringData: { cafe_id: 'cafe-seoul-01' } });
  });

  test('--help says what there is', async () => {
    const { stdout } = await run('--help');

    for (const option of [
      '--game',
      '--display-name',
      '--env',
      '--not-after',
      '--launcher',
      '--cafe',
      '--name',
      '--apply',
      '--namespace',
    ])
      expect(stdout).toContain(option);
  });

  test.each<[what: string, args: string[], says: string]>([
    ['nothing to do', [], 'say what to do: create'],
    ['something else to do', ['delete', '--game', 'a'], 'say what to do: create'],
    ['neither a game nor a cafe', ['create'], 'say for whom'],
    ['a game and a cafe', ['create', '--game', 'a', '--cafe', 'b'], '--cafe does not go with the rest'],
    ['a launcher of no cafe', ['create', '--launcher'], '--cafe is missing'],
    ['a game id that is none', ['create', '--game', 'Not A Game'], '--game must be lower-case letters'],
    [
      'a cafe and a name that are too long together',
      ['create', '--launcher', '--cafe', 'c'.repeat(60), '--name', 'k'.repeat(32)],
      '--cafe and --name must be at most 91 characters together',
    ],
    ['an unknown option', ['create', '--gmae', 'x'], "Unknown option '--gmae'"],
    ['an option without its value', ['create', '--game'], "Option '--game <value>' argument missing"],
    ['another environment', ['create', '--game', 'a', '--env', 'prod'], '--env must be dev, qa or live'],
    [
      'a date that is none',
      ['create', '--game', 'a', '--not-after', 'soon'],
      '--not-after must be an instant',
    ],
    ['a date gone by', ['create', '--game', 'a', '--not-after', '2020-01-01T00:00:00Z'], 'is in the past'],
    [
      'a name that is empty',
      ['create', '--game', 'a', '--display-name='],
      '--display-name must not be empty',
    ],
    [
      'a namespace for nothing',
      ['create', '--game', 'a', '--namespace', 'b'],
      '--namespace goes with --apply',
    ],
  ])('%s: one clear line, and exit 1', async (_, args, says) => {
    await expect(run(...args)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^key: [^\n]+\n$/),
    });
    await expect(run(...args)).rejects.toMatchObject({ stderr: expect.stringContaining(says) });
  });

  test('--apply without a cluster that answers: one clear line, exit 1, and no key is shown', async () => {
    const env = { ...process.env, KUBECONFIG: nowhere };
    const applied = promisify(execFile)(process.execPath, [cli, 'create', '--game', 'a', '--apply'], { env });

    await expect(applied).rejects.toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringMatching(/^key: the Kubernetes API [^\n]+\n$/),
    });
  });
});
