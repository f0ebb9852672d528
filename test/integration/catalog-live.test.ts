import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import { newApiKey } from '../../deploy/operations/keys/new-keys.ts';
import { eventually } from '../support/eventually.ts';
import { newPc, theStack } from '../support/suite-stack.ts';

const stackFolder = dirname(process.env['GSB_STACK'] ?? '');
const file = join(stackFolder, 'catalog', 'testgame.yaml');
const clashing = join(stackFolder, 'catalog', 'testgame-clash.yaml');
afterAll(() => [file, clashing].forEach((each) => rmSync(each, { force: true })));

const nobody = '00000000-0000-4000-8000-000000000000';
const newKey = (notAfter?: string) =>
  newApiKey({ game: 'testgame', env: 'dev', notAfter, randomBytes: randomBytes(40) });
type NewKey = ReturnType<typeof newKey>;

/** As an editor does, or a mounted volume: the file is there whole, or the old one. */
const write = (path: string, text: string) => {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
};
const gameWith = (...keys: NewKey[]) => ({
  ...keys[0]!.stored,
  spec: { displayName: 'Test game', keys: keys.flatMap(({ stored }) => stored.spec.keys) },
});
const store = (...keys: NewKey[]) => write(file, stringify(gameWith(...keys)));
const statusOf = async ({ key }: NewKey) => {
  const { game } = await theStack();
  return (await createGameServer({ url: game.url, apiKey: key }).verify(nobody, 'u1')).status;
};
/** Within ten seconds, in the service that runs. */
const becomes = (key: NewKey, wanted: number) =>
  eventually(
    () => statusOf(key),
    (status) => status === wanted,
  );
const logged = async (text: string) =>
  eventually(
    async () => readFileSync(join(stackFolder, 'logs', 'game-session.log'), 'utf8'),
    (log) => log.includes(text),
  );

describe('the catalog of running services, without a restart and within ten seconds', () => {
  test('a second key works beside the first, and a removed one stops', async () => {
    const [first, second] = [newKey(), newKey()];
    store(first);
    await becomes(first, 200);
    expect(await statusOf(second)).toBe(401);

    store(first, second);
    await becomes(second, 200);
    expect(await statusOf(first)).toBe(200);

    store(second);
    await becomes(first, 401);
    expect(await statusOf(second)).toBe(200);
  }, 40_000);

  test('a key past its not-after is refused, and one that has time left stops when it is over', async () => {
    const [late, soon] = [newKey('2020-01-01T00:00:00Z'), newKey(new Date(Date.now() + 6_000).toISOString())];
    store(late, soon);
    await becomes(soon, 200);

    expect(await statusOf(late)).toBe(401);
    await becomes(soon, 401);
  }, 30_000);

  test('launchers are offered a new game, and no longer one that is gone', async () => {
    const stack = await theStack();
    const offered = async () => {
      const started = await newPc(stack).start();
      return started.ok ? started.data.games.some(({ gameId }) => gameId === 'testgame') : undefined;
    };
    store(newKey());
    await eventually(offered, (is) => is === true);

    rmSync(file);
    await eventually(offered, (is) => is === false);
  }, 30_000);

  test.each([
    ['YAML that is none', 'kind: [', /testgame\.yaml: is not YAML \(line 1/],
    ['an object of no kind', 'kind: Toy', /testgame\.yaml: /],
    [
      'three keys',
      stringify(gameWith(newKey(), newKey(), newKey())),
      /testgame\.yaml: .*at most two keys of a game are live/,
    ],
  ])(
    '%s is logged, names its file, and leaves what was known',
    async (_, text, problem) => {
      const known = newKey();
      store(known);
      await becomes(known, 200);

      const before = (await logged('catalogue')).length;
      write(file, text);
      await eventually(
        async () => (await logged('catalogue')).slice(before),
        (log) => problem.test(log),
      );
      expect(await statusOf(known)).toBe(200);
    },
    30_000,
  );

  test('a short id that another game has is refused, and both keep what they had', async () => {
    const known = newKey();
    store(known);
    await becomes(known, 200);

    const id = known.stored.spec.keys[0]?.id ?? '';
    const thief = { ...gameWith(known), metadata: { name: 'testgame-clash' } };
    write(clashing, stringify(thief));
    await logged(`API key id ${id} stands already in`);
    expect(await statusOf(known)).toBe(200);

    rmSync(clashing);
    await logged('the catalogue can be read again');
    expect(await statusOf(known)).toBe(200);
  }, 30_000);
});
