import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventNameOf } from '#libs/kafka/fetched-message.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { until } from '../support/eventually.ts';
import { inEveryBookOnce, settledSeconds } from '../support/keep-visiting.ts';
import { kafkaOf } from '../support/offsets.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { seatPlayers } from '../support/seat-players.ts';
import type { Player } from '../support/seat-players.ts';
import { billings, gameServerOf } from '../support/suite-stack.ts';

const recoveryMs = 45_000;
const playing = 30;
/** Of the heartbeats and ends of so many players some share a message, whatever partitions they are on. */
const leastInABundle = 4;

const crashDir = mkdtempSync(join(tmpdir(), 'gsb-crash-'));
afterAll(() => rmSync(crashDir, { recursive: true }));
const crashPoints = new URL('../support/crash-points.ts', import.meta.url).href;
const own = useOwnStack({ CRASH_DIR: crashDir, NODE_OPTIONS: `--import=${crashPoints}` });

type Batch = Awaited<ReturnType<Player['server']['heartbeats'] | Player['server']['ends']>>;
type Result = (Batch & { ok: true })['data']['results'][number];

/** Says the same again, as a game server does, until each of its sessions has an answer that tells what became of it. */
const untilAnswered = async (
  players: readonly Player[],
  send: (some: readonly Player[]) => Promise<Batch>,
): Promise<Result[]> => {
  const heard = new Map<string, Result>();
  const isAnswered = async (): Promise<boolean> => {
    const answer = await send(players.filter(({ id }) => !heard.has(id))).catch(() => undefined);
    for (const result of answer?.ok ? answer.data.results : [])
      if (result.status < 500) heard.set(result.gameSessionId, result);
    return heard.size === players.length;
  };
  await until(isAnswered, 'an answer for each session', recoveryMs);
  return players.map(({ id }) => heard.get(id)!);
};

const beatAll = (players: readonly Player[]) =>
  untilAnswered(players, (some) =>
    gameServerOf(own.stack.facts()).heartbeats(
      some.map(({ id, user }) => ({ gameSessionId: id, providerUserId: user })),
    ),
  );
const endAll = (players: readonly Player[]) =>
  untilAnswered(players, (some) =>
    gameServerOf(own.stack.facts()).ends(some.map(({ id }) => ({ gameSessionId: id }))),
  );

/** How many events of these sessions the largest message of each name carried since an instant, in ms since the epoch. */
const largestBundles = async (sinceMs: number, ids: ReadonlySet<string>): Promise<Map<string, number>> => {
  const counts = new Map<string, number>();
  const largest = new Map<string, number>();
  const kafka = kafkaOf(own.stack.facts());
  await withLogReader({ kafka, topics: ['heartbeats.v1', 'game-sessions.v1'] }, async (log) =>
    log.read(await log.rangesSince(sinceMs), (messages) => {
      for (const { topic, partition, message } of messages) {
        if (!ids.has(message.key?.toString() ?? '')) continue;
        const name = eventNameOf(message) ?? '';
        const place = `${topic} ${partition} ${message.offset}`;
        const count = (counts.get(place) ?? 0) + 1;
        counts.set(place, count);
        largest.set(name, Math.max(largest.get(name) ?? 0, count));
      }
    }),
  );
  return largest;
};

/** What the books must have of a session: what its end was told; where that answer was lost, what settlement has, which is possible. */
const secondsOf = async ({ id }: Player, result: Result, atMostSec: number): Promise<number> => {
  if ('data' in result) return result.data.playDurationSec;
  expect([result.status, result.error.code]).toEqual([409, 'ALREADY_ENDED']);
  await until(
    async () => (await settledSeconds(own.stack.facts(), id)) !== undefined,
    'an entry',
    recoveryMs,
  );
  const seconds = (await settledSeconds(own.stack.facts(), id)) ?? -1;
  expect(seconds).toBeGreaterThanOrEqual(0);
  expect(seconds).toBeLessThanOrEqual(atMostSec);
  return seconds;
};

const inEveryBook = async (players: readonly Player[], results: readonly Result[], sinceMs: number) => {
  const atMostSec = Math.ceil((performance.now() - sinceMs) / 1000);
  for (const [at, player] of players.entries()) {
    const seconds = await secondsOf(player, results[at]!, atMostSec);
    await inEveryBookOnce(own.stack.facts(), { ...player, seconds });
  }
};

test.each<[service: string, point: string, what: string]>([
  ['game-session', 'beat.lua', 'some of its heartbeats are written, and none is on the log'],
  ['game-session', 'over.lua #2', 'some of its ends are written, and none is on the log'],
  ['game-session', 'Produce', 'the log has what it has not heard to be there'],
  ['game-session', 'Produce #2', 'the log has one half, and the other may be on its way'],
  ['billing-adapter', 'POST /v1/billings/renewals', 'the partner has renewed, and nobody was told'],
  ['billing-adapter', 'POST /v1/billings/…/stop #7', 'the partner has stopped half of a bundle of ends'],
  ['billing-adapter', 'Produce', 'its answers are on the log, and what they answer is not committed'],
  ['settlement', 'record-entries.sql', 'a bundle of ends is handled, and not committed'],
])(
  '%s is killed with -9 at %s, when %s: each session is in every book once, with the seconds that its end was told (I8, I9, D-39)',
  async (service, point) => {
    const sinceMs = performance.now();
    const facts = own.stack.facts();
    const players = await seatPlayers(facts, playing);
    const [stay, leave] = [players.slice(0, playing / 2), players.slice(playing / 2)];
    const [armedAtMs, file] = [Date.now(), join(crashDir, service)];
    writeFileSync(file, point);

    const [beaten, ended, alone] = await Promise.all([
      beatAll(stay),
      endAll(leave),
      Promise.allSettled(players.map(({ server, id, user }) => server.heartbeat(id, user))),
    ]);
    await until(() => !existsSync(file), `${service} has died`, recoveryMs);

    expect(alone).toHaveLength(playing);
    expect(beaten.map(({ status }) => status)).toEqual(stay.map(() => 200));
    await inEveryBook(leave, ended, sinceMs);
    const again = await beatAll(stay);
    expect(again).toMatchObject(stay.map(() => ({ status: 200, data: { result: 'OK' } })));
    const staying = new Set(stay.map(({ id }) => id));
    const billed = (await billings(facts)).filter(({ billing_id: id }) => staying.has(id));
    expect(billed.map(({ status }) => status)).toEqual(stay.map(() => 'started'));
    await inEveryBook(stay, await endAll(stay), sinceMs);
    const bundles = await largestBundles(armedAtMs, new Set(players.map(({ id }) => id)));
    for (const name of ['game-session.heartbeat', 'game-session.ending'])
      expect(bundles.get(name)).toBeGreaterThanOrEqual(leastInABundle);
  },
  4 * recoveryMs,
);
