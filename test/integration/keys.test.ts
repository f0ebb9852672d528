import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import { eventually } from '../support/eventually.ts';
import { theStack } from '../support/stage.ts';

const cli = resolve(import.meta.dirname, '../../deploy/keys/main.ts');
const run = (...args: string[]) => promisify(execFile)(process.execPath, [cli, ...args]);
const file = join(dirname(process.env['GSB_STACK'] ?? ''), 'catalogue', 'keytest.yaml');
afterAll(() => rmSync(file, { force: true }));

const nobody = '00000000-0000-4000-8000-000000000000';
const liveWithinMs = 10_000;

/** A key as the CLI prints it, and the entry to store. */
const newKey = async (...more: string[]) => {
  const { stdout } = await run('create', '--game', 'keytest', ...more);
  const key = /^gsb_dev_\S+$/m.exec(stdout)?.[0] ?? '';
  const [entry] = parseAllDocuments(stdout.slice(stdout.indexOf('# For spec.keys')))[0]!.toJS() as object[];
  return { key, entry: entry! };
};
const store = (keys: object[]) =>
  writeFileSync(
    file,
    stringify({
      apiVersion: 'gsb.dev/v1',
      kind: 'Game',
      metadata: { name: 'keytest' },
      spec: { displayName: 'Key test', keys },
    }),
  );
const statusOf = async (key: string) => {
  const { game } = await theStack();
  return (await createGameServer({ url: game.url, apiKey: key }).verify(nobody, 'u1')).status;
};

describe('npm run key', () => {
  test('a key that it makes works once its YAML is stored, two are live at once, and a removed one stops: without a restart, within ten seconds', async () => {
    const [first, second] = [await newKey(), await newKey()];
    store([first.entry]);
    await eventually(
      () => statusOf(first.key),
      (status) => status === 200,
      liveWithinMs,
    );
    expect(await statusOf(second.key)).toBe(401);

    store([first.entry, second.entry]);
    await eventually(
      () => statusOf(second.key),
      (status) => status === 200,
      liveWithinMs,
    );
    expect(await statusOf(first.key)).toBe(200);

    store([second.entry]);
    await eventually(
      () => statusOf(first.key),
      (status) => status === 401,
      liveWithinMs,
    );
    expect(await statusOf(second.key)).toBe(200);
  }, 40_000);

  test('a key past its not-after is refused', async () => {
    const [late, live] = [await newKey('--not-after', '2020-01-01T00:00:00Z'), await newKey()];
    store([late.entry, live.entry]);
    await eventually(
      () => statusOf(live.key),
      (status) => status === 200,
      liveWithinMs,
    );

    expect(await statusOf(late.key)).toBe(401);
  }, 20_000);

  test('YAML that cannot be read leaves what was known', async () => {
    const live = await newKey();
    store([live.entry]);
    await eventually(
      () => statusOf(live.key),
      (status) => status === 200,
      liveWithinMs,
    );
    writeFileSync(file, 'kind: [');

    const since = performance.now();
    await eventually(
      async () => performance.now() - since,
      (ms) => ms > 3_000,
    );
    expect(await statusOf(live.key)).toBe(200);
  }, 30_000);

  test.each([
    ['nothing to do', []],
    ['neither a game nor a cafe', ['create']],
    ['both', ['create', '--game', 'a', '--cafe', 'b']],
    ['a game id that is none', ['create', '--game', 'Not A Game']],
    ['an unknown option', ['create', '--gmae', 'x']],
    ['a date that is none', ['create', '--game', 'a', '--not-after', 'soon']],
  ])('%s: one clear line, and exit 1', async (_, args) => {
    await expect(run(...args)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('npm run key'),
    });
  });
});
