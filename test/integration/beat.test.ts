import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { createLinks } from '../../deploy/local/faults/links.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { afterHeartbeat } from '../../services/game-session/core/deadlines.ts';
import { close, deplete, silentAtMs, warn } from '../../services/game-session/core/session.ts';
import type { Session } from '../../services/game-session/core/session.ts';
import { syntheticSession } from '../support/synthetic-session.ts';

const address = process.env['REDIS_URL'] ?? '';
const redis = new Redis(address, { db: 9 });
const links = createLinks(() => []);
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
  await links.close();
});
const sessions = redisSessions(redis, limits, { packs: true });
/** Until an answer has told it the server's time, it does not say until when a heartbeat is waited for: on a busy machine that may be over. */
const withoutClock = () => redisSessions(redis, limits, { packs: true });
const shortLimits = { ...limits, sessionExpirySec: 60 };

/** A user of a game may be called anything (D-19), what stands in the session's JSON included. */
const users = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.uuid().map((id) => `player-${id}`),
  fc.constantFrom(
    '"',
    '\\',
    '"game_id":"starfall"',
    '","state":"active',
    '"deadline_at_ms":1',
    'ü%d+',
    '{,}',
  ),
);
const stories = fc.record({
  providerUserId: users,
  agoSec: fc.integer({ min: -5, max: 300 }),
  state: fc.constantFrom('active', 'active', 'active', 'depleted', 'warned', 'ended'),
  launcher: fc.constantFrom(undefined, 'started', 'lapsed', 'ended'),
  launcherAgoSec: fc.integer({ min: 0, max: 300 }),
  callsAs: fc.constantFrom('itself', 'itself', 'itself', 'another user', 'another game'),
});
type Story = typeof stories extends fc.Arbitrary<infer S> ? S : never;

const inState = (session: Session, state: Story['state'], nowMs: number): Session => {
  const depleted = deplete(session, limits)!;
  return {
    active: session,
    depleted,
    warned: warn(depleted, nowMs, limits)!,
    ended: close(session, { reason: 'game_ended', nowMs }, limits)!,
  }[state];
};

const storedSession = async ({ providerUserId, agoSec, state, launcher, launcherAgoSec }: Story) => {
  const startedAtMs = Date.now() - agoSec * 1000;
  const begun = { ...syntheticSession('cafe-1', startedAtMs), providerUserId };
  const { gameSessionId, pcId, launcherSessionId } = begun;
  const session = inState(begun, state, startedAtMs);
  await sessions.update(gameSessionId, () => session, pcId);
  const atMs = Date.now() - launcherAgoSec * 1000;
  if (launcher) await sessions.noteLauncher(pcId, { change: launcher, atMs, launcherSessionId });
  return session;
};

const callerOf = ({ callsAs, providerUserId }: Story) => ({
  gameId: callsAs === 'another game' ? 'moonrise' : 'starfall',
  providerUserId: callsAs === 'another user' ? `${providerUserId}2` : providerUserId,
});

test('the heartbeat in one round trip does what the tables say, or nothing', async () => {
  const seed = Date.now();
  console.log(`seed ${seed}`);
  let beaten = 0;
  const story = async (told: Story): Promise<void> => {
    const before = await storedSession(told);
    const { gameSessionId } = before;
    const done = await withoutClock().beat(gameSessionId, callerOf(told));
    const { record, launcher, nowMs } = await sessions.read(gameSessionId);
    const isTheirs = told.callsAs === 'itself';
    const current = { nowMs: done?.nowMs ?? nowMs, amnestyUntilMs: 0, suspendedUntilMs: 0, launcher };
    const expected = afterHeartbeat(before, current, limits);
    const isPlain = isTheirs && before.state === 'active' && expected?.state === 'active';
    expect(done && fromWire(gameSession, JSON.parse(done.json))).toEqual(isPlain ? expected : undefined);
    if (done) expect(expected).toMatchObject(done.session);
    // A rebuild knows the newest event of a session by its version, and looks for it there.
    if (done) expect(done.json).toMatch(/^\{"version":\d+,/);
    expect(record).toEqual(isPlain ? expected : before);
    if (isPlain) beaten += 1;
  };
  await fc.assert(fc.asyncProperty(stories, story), { numRuns: 500, seed });
  expect(beaten).toBeGreaterThan(10);
});

test('heartbeats of one turn of the event loop share calls, and each has its own answer', async () => {
  const calls: number[] = [];
  const evalsha = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    if (command.name.startsWith('eval')) calls.push(command.args.length);
    return evalsha(command, stream);
  };
  const one = { providerUserId: 'u1', agoSec: 200, launcher: undefined, launcherAgoSec: 0 } as const;
  const states = Array.from({ length: 300 }, (_, at) =>
    at % 3 === 0 ? ('ended' as const) : ('active' as const),
  );
  const before = await Promise.all(
    states.map((state) => storedSession({ ...one, state, callsAs: 'itself' })),
  );
  calls.length = 0;

  const whose = { gameId: 'starfall', providerUserId: 'u1' };
  const { beat } = withoutClock();
  const done = await Promise.all(before.map(({ gameSessionId }) => beat(gameSessionId, whose)));

  expect(calls.length).toBeLessThanOrEqual(20);
  const ids = done.map((each) => each && fromWire(gameSession, JSON.parse(each.json)).gameSessionId);
  expect(ids).toEqual(
    before.map(({ state, gameSessionId }) => (state === 'active' ? gameSessionId : undefined)),
  );
});

test('a heartbeat moves the deadline that the sweeper goes by, and an unknown session is left to the tables', async () => {
  const told = { providerUserId: 'u1', agoSec: 200, state: 'active', launcher: undefined } as const;
  const { gameSessionId } = await storedSession({ ...told, launcherAgoSec: 0, callsAs: 'itself' });
  const whose = { gameId: 'starfall', providerUserId: 'u1' };
  const [key] = (await redis.keys('gsb:game-session*expiries')).filter((each) =>
    each.includes(`{${gameSessionId[3]}}`),
  );

  const done = await withoutClock().beat(gameSessionId, whose);

  expect(Number(await redis.zscore(key ?? '', gameSessionId))).toBe(done?.session.deadlineAtMs);
  const unknown = gameSessionIdFor(randomUUID(), `pc_${'0'.repeat(32)}`);
  expect(await sessions.beat(unknown, whose)).toBeUndefined();
});

test('a heartbeat that reaches Redis when its caller has been refused proves no play (D-09)', async () => {
  const link = await links.open('redis', Number(new URL(address).port));
  const slow = new Redis(Object.assign(new URL(address), { port: link.port }).href, { db: 9 });
  const { beat, over } = redisSessions(slow, limits, { packs: true });
  const told = { providerUserId: 'u1', agoSec: 60, state: 'active', launcher: undefined } as const;
  const late = await storedSession({ ...told, launcherAgoSec: 0, callsAs: 'itself' });
  const whose = { gameId: 'starfall', providerUserId: 'u1' };

  // Each answer of a shard tells the time of its server, whatever was asked.
  expect(await over.due(late.gameSessionId)).toBeUndefined();
  link.set({ mode: 'delay', ms: 1_500 });
  const answer = await beat(late.gameSessionId, whose);
  slow.disconnect();

  expect(answer).toBeUndefined();
  expect((await sessions.read(late.gameSessionId)).record).toEqual(late);
});

test.each([
  ['a window of its own', limits, shortLimits],
  ['the usual one', shortLimits, limits],
])('a session that is heard where the rules are others has %s from then on', async (_, before, after) => {
  const session = syntheticSession('cafe-1', Date.now());
  const { gameSessionId, pcId, gameId, providerUserId } = session;
  const windowMs = silentAtMs(0, after);
  await redisSessions(redis, before, { packs: true }).update(
    gameSessionId,
    () => ({ ...session, deadlineAtMs: silentAtMs(session.lastSeenAtMs, before) }),
    pcId,
  );

  const { beat, read } = redisSessions(redis, after, { packs: true });
  const beaten = await beat(gameSessionId, { gameId, providerUserId });

  const { record } = await read(gameSessionId);
  expect(beaten?.session.deadlineAtMs).toBe(record?.deadlineAtMs);
  expect(Number(record?.deadlineAtMs) - Number(record?.lastSeenAtMs)).toBe(windowMs);
});
