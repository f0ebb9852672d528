import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { newApiKey } from '../../../deploy/operations/keys/new-keys.ts';
import type { Callers } from '../callers.ts';
import { run } from '../../charts/programs.ts';
import { kubectl, kubectlJson, namespace } from '../programs.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';

const keyProgram = join(import.meta.dirname, '../../../deploy/operations/keys/main.ts');
const promisedSec = 5;
const nobody = 'gs_00000000-0000-4000-8000-000000000000';

interface StoredGame {
  readonly spec: { displayName: string; keys: { id: string; sha256: string }[] };
}

const apply = (object: unknown) => kubectl(['apply', '--filename', '-'], JSON.stringify(object));

/** The answer to a game server with a key: that the session is not known, or that the key is not. */
const answerWith = (callers: Callers, key: string) => async () => {
  const answer = await callers.server(0, key).heartbeat(nobody, 'somebody');
  return answer.ok ? 'OK' : answer.code;
};

const makeKey = (game: string) =>
  run(process.execPath, [keyProgram, 'create', '--game', game, '--apply', '--namespace', namespace]);

const rotate = async (
  { report, callers }: ContextWithoutPlayers,
  name: string,
  before: StoredGame,
): Promise<void> => {
  const { key, stored } = newApiKey({ game: name, env: 'dev', randomBytes: randomBytes(40) });
  const gameWith = (keys: unknown) => ({ ...stored, spec: { displayName: before.spec.displayName, keys } });
  const ask = answerWith(callers, key);
  await report.step('a new API key works within 5 s of kubectl apply', async () => {
    must((await ask()) === 'INVALID_API_KEY', 'works before it is there');
    await apply(gameWith([...before.spec.keys, ...stored.spec.keys]));
    const { tookSec } = await within(promisedSec, 'the new key', ask, (code) => code === 'SESSION_NOT_FOUND');
    return `after ${tookSec.toFixed(1)} s`;
  });
  await report.step('a removed one stops, and the other goes on', async () => {
    await apply(gameWith(before.spec.keys));
    const { tookSec } = await within(
      promisedSec,
      'the removed key',
      ask,
      (code) => code === 'INVALID_API_KEY',
    );
    const other = await answerWith(callers, callers.apiKey(0))();
    must(other === 'SESSION_NOT_FOUND', `the other key: ${other}`);
    return `after ${tookSec.toFixed(1)} s`;
  });
  await report.step('npm run key -- --apply stores a key that works; a third is refused', async () => {
    const made = await makeKey(name);
    must(made.code === 0, made.stderr);
    const fresh = /gsb_\w+/.exec(made.stdout)?.[0] ?? '';
    await within(promisedSec, 'the key', answerWith(callers, fresh), (code) => code === 'SESSION_NOT_FOUND');
    const third = await makeKey(name);
    must(third.code === 1 && third.stderr.includes('has two keys already'), third.stderr);
    await apply(gameWith(before.spec.keys));
    return undefined;
  });
};

/** A key comes and goes by kubectl apply, without a restart. */
export const rotateKeys = async (context: ContextWithoutPlayers): Promise<void> => {
  const name = context.callers.gameId(0);
  let stored: StoredGame | undefined;
  await context.report.step('a Game is stored with one key', async () => {
    stored = await kubectlJson<StoredGame>('get', `game/${name}`);
    must(stored.spec.keys.length === 1, `${stored.spec.keys.length} keys`);
    return undefined;
  });
  if (stored !== undefined) await rotate(context, name, stored);
};
