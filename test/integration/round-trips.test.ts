import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor, inShardOf } from '#libs/kernel/shards.ts';
import { knownBalances } from '../../services/game-session/adapters/known-balances.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import type { Ports as GamePorts } from '../../services/game-session/ports.ts';
import { begin as beginGame, close } from '../../services/game-session/core/session.ts';
import type { EndReason } from '../../services/game-session/core/session-states.ts';
import { startSession } from '../../services/game-session/usecases/start-session.ts';
import { redisLauncherSessions } from '../../services/launcher-gateway/adapters/redis-launcher-sessions.ts';
import {
  begin,
  takeSeat as takeLauncherSeat,
} from '../../services/launcher-gateway/core/launcher-session.ts';
import { recordSignOfLife } from '../../services/launcher-gateway/usecases/support/record-sign-of-life.ts';
import { redisOtts } from '../../services/ott/adapters/redis-otts.ts';
import { redisUnbilledPlay } from '../../services/ott/adapters/redis-unbilled-play.ts';
import type { Ports as OttPorts } from '../../services/ott/ports.ts';
import { claimOtt } from '../../services/ott/usecases/claim-ott.ts';
import { consumeOtt } from '../../services/ott/usecases/consume-ott.ts';
import { issueOtt } from '../../services/ott/usecases/issue-ott.ts';
import { delivery } from '../support/delivery.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 2 });
let sent = 0;
const send = redis.sendCommand.bind(redis);
redis.sendCommand = (command, stream) => {
  sent += 1;
  return send(command, stream);
};
const countOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = sent;
  await work();
  return sent - before;
};

/** What is decided without a read is written so long after the instant that it supposes (D-66). */
const supposedWithinMs = 500;
/** The round trips of what begins after an answer that told the server's time; a read and a second write are not counted where it was held up. */
const countOfNew = async (answer: () => Promise<unknown>, work: () => Promise<unknown>): Promise<number> => {
  const fromMs = performance.now();
  await answer();
  const count = await countOf(work);
  const isHeldUp = performance.now() - fromMs > supposedWithinMs;
  return isHeldUp && count === 3 ? 1 : count;
};

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const published: (readonly [name: string, data: Record<string, unknown>])[] = [];
const common = {
  limits: { ...specLimits, unbilledCapSec: 1 },
  publish: async (name: string, data: Record<string, unknown>) => void published.push([name, data]),
  traceparent: () => null,
  reply: () => undefined,
};
const otts = redisOtts(redis, specLimits, { packs: true });
const ottPorts = {
  ...{ ...common, otts, unbilled: redisUnbilledPlay(redis), tokens: { hash } },
  accepted: { versionOf: async () => 0, remember: () => undefined },
} as unknown as OttPorts;
const sessions = redisSessions(redis, specLimits, { packs: true });

const pcId = `pc_7${randomBytes(16).toString('hex').slice(1)}`;
const issue = (tokenHash: string) =>
  issueOtt(ottPorts)(
    {
      ...{
        ottRequestId: randomUUID(),
        tokenHash,
        replyKey: 'AAAA',
        cafeId: 'cafe-1',
        pcId,
        gameId: 'starfall',
      },
      ...{ launcherSessionId: randomUUID(), isPcCafe: true },
    },
    { ...delivery(), time: new Date().toISOString() },
  );
const newHash = () => inShardOf(pcId, () => ({ tokenHash: hash(randomUUID()) })).tokenHash;
const present = (tokenHash: string) =>
  claimOtt(ottPorts)(
    {
      ...{ presentationId: randomUUID(), tokenHash, gameId: 'starfall' },
      ...{ outagePolicy: 'continue', providerUserId: 'u1' },
    },
    delivery(),
  );

beforeAll(async () => {
  await redis.flushdb();
  // The server learns the scripts.
  const [first, second] = [newHash(), newHash()];
  await issue(first);
  await issue(second);
  await present(second);
  published.length = 0;
});
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});

test('a token takes one round trip, and three more where an earlier one is voided: the first is void in the step in which the second is issued (D-58)', async () => {
  await redis.flushdb();
  const [first, second] = [newHash(), newHash()];

  const read = () => otts.read(first);
  const alone = await countOfNew(read, () => issue(first));
  const earlier = await countOf(() => issue(second));

  expect([alone, earlier]).toEqual([1, 4]);
  expect((await otts.read(first)).record?.state).toBe('voided');
  expect((await otts.read(second)).record).toMatchObject({ state: 'issued', voids: first });
});

test('a verify takes three in ott, one in game-session, and one when the token is consumed', async () => {
  const tokenHash = newHash();
  await issue(tokenHash);

  expect(await countOf(() => present(tokenHash))).toBe(3);

  const { record } = await otts.read(tokenHash);
  const { claim, cafeId, gameId, launcherSessionId, isPcCafe } = record!;
  const { gameSessionId, presentationId, providerUserId, claimedAtMs: startedAtMs } = claim!;
  const order = {
    ...{ tokenHash, cafeId, gameId, launcherSessionId, isPcCafe, pcId },
    ...{ gameSessionId, presentationId, providerUserId, startedAtMs },
  };
  const started = { order, pending: false, remainingSec: 1 };
  const balances = knownBalances({ awaitedPerSec: Infinity });
  const gamePorts = { ...common, sessions, balances } as unknown as GamePorts;
  const read = () => sessions.read(gameSessionId);
  expect(await countOfNew(read, () => startSession(gamePorts)(started, delivery()))).toBe(1);
  expect(await countOf(() => consumeOtt(ottPorts)(started))).toBe(1);
  expect(published.at(-1)?.[0]).toBe('ott.consumed');
});

test('a heartbeat takes one; of an unknown session too', async () => {
  const unknown = gameSessionIdFor(randomUUID(), pcId);
  const beat = () => sessions.beat(unknown, { gameId: 'starfall', providerUserId: 'u1' });
  await beat();

  expect(await countOf(beat)).toBe(1);
});

test('a sign of life of a launcher session that was just read takes one; where another writer was faster it is read again', async () => {
  const launchers = redisLauncherSessions(redis, specLimits, { packs: true });
  const id = `7${hash('token')}`;
  const seat = { id, tokenHash: hash('token'), cafeId: 'cafe-1', pcId, ip: '203.0.113.7', isPcCafe: true };
  const key = { keyId: 'k1', keyFingerprint: 'f1', isOwnKey: false, traceparent: null };
  const starting = { ...seat, ...key, launcherSessionId: randomUUID() };
  await launchers.update(id, ({ nowMs }) => begin(starting, nowMs, specLimits), pcId);
  const read = await launchers.read(id);
  const caller = { session: read.record!, read, ip: () => seat.ip };
  const ports = { sessions: launchers, limits: specLimits };

  expect(await countOf(() => recordSignOfLife(ports, caller))).toBe(1);
  expect(await countOf(() => recordSignOfLife(ports, caller))).toBe(3);
  expect((await launchers.read(id)).record?.version).toBe(3);
});

test('a start of a launcher takes one, and four where a launcher of the PC is live', async () => {
  const launchers = redisLauncherSessions(redis, specLimits, { packs: true });
  const ownPc = `pc_7${randomBytes(16).toString('hex').slice(1)}`;
  const seat = { cafeId: 'cafe-1', pcId: ownPc, ip: '203.0.113.7', isPcCafe: true };
  const key = { keyId: 'k1', keyFingerprint: 'f1', isOwnKey: false, traceparent: null };
  const start = () => {
    const tokenHash = hash(randomUUID());
    const starting = { ...seat, ...key, id: `7${tokenHash}`, tokenHash, launcherSessionId: randomUUID() };
    return launchers.update(
      starting.id,
      ({ seated, nowMs }) => takeLauncherSeat(begin(starting, nowMs, specLimits), seated, nowMs, specLimits),
      ownPc,
      { isNew: true },
    );
  };
  const alone = await countOfNew(() => launchers.read(`7${hash('any')}`), start);

  expect([alone, await countOf(start)]).toEqual([1, 4]);
});

/** A session at a PC of its own, in the shard of all others here. */
const started = async (): Promise<string> => {
  const ownPc = `pc_7${randomBytes(16).toString('hex').slice(1)}`;
  const gameSessionId = gameSessionIdFor(randomUUID(), ownPc);
  const order = {
    ...{ tokenHash: hash(ownPc), presentationId: randomUUID(), launcherSessionId: randomUUID() },
    ...{ cafeId: 'cafe-1', pcId: ownPc, gameId: 'starfall', providerUserId: 'u1', isPcCafe: true },
    ...{ gameSessionId, startedAtMs: Date.now() },
  };
  const session = beginGame({ order, pending: false, remainingSec: 1 }, specLimits);
  await sessions.update(gameSessionId, () => session, ownPc);
  return gameSessionId;
};

test('an end takes one, and so does its confirmation; those of one moment share it', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, started));
  // Until an answer has told it the server's time, it does not say until when an end is waited for: on a busy machine that may be over.
  const { over } = redisSessions(redis, specLimits, { packs: true });
  const endAll = () =>
    Promise.all(ids.slice(1).map((id) => over.end(id, { gameId: 'starfall', clientSec: 7 })));
  const settleAll = () => Promise.all(ids.slice(1).map((id) => sessions.over.stopped(id, 1)));
  await sessions.over.end(ids[0]!, { gameId: 'starfall' });

  expect([await countOf(endAll), await countOf(settleAll)]).toEqual([1, 1]);

  const { record } = await sessions.read(ids[9]!);
  expect(record).toMatchObject({ state: 'ended', clientPlayDurationSec: 7, partnerPlayDurationSec: 1 });
});

test('ends that the tables decide share two; where two of them are of one session the second is decided again, and no other is', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, started));
  const [contested] = ids as [string];
  const end = (id: string, reason: EndReason = 'game_ended') =>
    sessions.update(id, ({ record, nowMs }) => record && close(record, { reason, nowMs }, specLimits));

  expect(await countOf(() => Promise.all(ids.slice(10).map((id) => end(id))))).toBe(2);
  const raced = () => Promise.all([end(contested, 'silence'), ...ids.slice(0, 10).map((id) => end(id))]);
  expect(await countOf(raced)).toBe(3);

  const found = await Promise.all(ids.map((id) => sessions.read(id)));
  const reasons = found.map(({ record }) => record?.endReason);
  expect(reasons).toEqual(['silence', ...ids.slice(1).map(() => 'game_ended')]);
});
