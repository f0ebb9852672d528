import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLog } from '../accuracy/collect-ledgers.ts';
import { eventually } from '../support/eventually.ts';
import { asker } from '../support/keep-visiting.ts';
import type { FailedCall } from '../support/keep-visiting.ts';
import { kafkaOf } from '../support/offsets.ts';
import { useOwnStack, shortLimits } from '../support/own-stack.ts';
import { beat, seatPlayers } from '../support/seat-players.ts';
import type { Player } from '../support/seat-players.ts';
import { notBySilence, silencesDuring } from '../support/silences.ts';
import { billings } from '../support/suite-stack.ts';

/** 200 ends in 6 s are the rate of 1,000 in 30 s; R32_ENDS=1000 for all of them. */
const ends = Number(process.env['R32_ENDS'] ?? 200);
const apartMs = 30;
const beatEveryMs = 3_000;

const own = useOwnStack(shortLimits);
let second: ChildProcess | undefined;

/** A second replica of game-session, with the environment of the first, and ports of its own. */
const startReplica = async (): Promise<void> => {
  const text = readFileSync(`/proc/${own.stack.service('game-session').pid()}/environ`, 'utf8');
  const pairs = text.split('\0').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name === '' ? [] : [[name, value.join('=')] as const];
  });
  const env = { ...Object.fromEntries(pairs), HTTP_PORT: '0', OPS_PORT: '0' };
  const main = resolve(import.meta.dirname, '../../services/game-session/main.ts');
  const replica = (second = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'ignore'] }));
  let printed = '';
  replica.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  await eventually(
    async () => printed,
    (lines) => lines.includes('"msg":"running"'),
    20_000,
  );
};

const stoppedOf = async (players: readonly Player[]) => {
  const ids = new Set(players.map(({ id }) => id));
  return (await billings(own.stack.facts())).filter(
    ({ billing_id, status }) => ids.has(billing_id) && status === 'stopped',
  );
};
const allStopped = (players: readonly Player[], deadlineMs: number) =>
  eventually(
    () => stoppedOf(players),
    (stopped) => stopped.length === players.length,
    deadlineMs,
  );
const opsOf = () => own.stack.facts().processes.find(({ service }) => service === 'game-session')?.ops ?? '';
afterAll(async () => {
  second?.kill('SIGKILL');
}, 30_000);

test('a sweeper that stands still while another one sweeps, and goes on after: every silent session ends once and is stopped once', async () => {
  await startReplica();
  const players = await seatPlayers(own.stack.facts(), 40);
  const first = own.stack.service('game-session');
  const dueAt = performance.now() + 9_000;

  await eventually(
    async () => performance.now(),
    (now) => now > dueAt - 150,
  );
  first.kill('SIGSTOP');
  const swept = await allStopped(players, 40_000);
  first.kill('SIGCONT');
  await eventually(async () => (await fetch(`${opsOf()}/health/ready`)).ok, Boolean, 20_000);

  const ids = new Set(players.map(({ id }) => id));
  const endsOf = async () =>
    (await readLog(kafkaOf(own.stack.facts())))
      .filter((line) => line.kind === 'log' && ids.has(line.id))
      .map((line) => (line.kind === 'log' ? line.steps.filter(([, state]) => state === 'ended').length : 0));
  // The partner knows before the log does.
  const ends = await eventually(endsOf, (found) => found.every((count) => count > 0), 30_000);
  expect(ends).toEqual(players.map(() => 1));
  // An end is said again after 10 s without a confirmation, which may be on its way to the one that slept: asked twice, stopped once.
  const withoutRequests = (found: typeof swept) => found.map(({ requests: _asked, ...billing }) => billing);
  expect(withoutRequests(await stoppedOf(players))).toEqual(withoutRequests(swept));
  const exited = once(second!, 'exit');
  second!.kill('SIGTERM');
  await exited;
}, 120_000);

test(`a game server shuts down: ${ends} ends at 33 a second, some of them lost: those that arrived are SUCCESS, the others expire and are billed to their last heartbeat (D-09)`, async () => {
  const players = await seatPlayers(own.stack.facts(), ends);
  const isLost = (index: number): boolean => index % 25 === 24;
  const lost = players.filter((_, index) => isLost(index));
  const failed: FailedCall[] = [];
  const ask = asker(failed);
  const playOn = async (player: Player, forMs: number): Promise<void> => {
    const firstMs = forMs % beatEveryMs;
    await pause(firstMs);
    for (let leftMs = forMs - firstMs; leftMs > 0; leftMs -= beatEveryMs) {
      await ask('heartbeat', () => beat(player));
      await pause(beatEveryMs);
    }
  };
  const { done, silences } = await silencesDuring(own.stack.facts(), async () => {
    const proved = await Promise.all(players.map((player) => ask('heartbeat', () => beat(player))));
    const ended = await Promise.all(
      players.map(async (player, index) => {
        if (isLost(index)) return undefined;
        await playOn(player, index * apartMs);
        return ask('end', () => player.server.end(player.id));
      }),
    );
    return players.map((_, index) => (isLost(index) ? proved : ended)[index]?.data.playDurationSec);
  });

  expect(notBySilence(failed, silences)).toEqual([]);
  const stopped = await allStopped(players, 60_000);
  done.forEach((sec, index) => {
    const billing = stopped.find(({ billing_id }) => billing_id === players[index]!.id);
    // Who was told 503 knows of no seconds.
    if (sec !== undefined) expect(billing?.play_duration_sec).toBe(sec);
  });
  const after = await Promise.all(lost.map(beat));
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([404]));
}, 180_000);
