import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Refusal } from '#libs/contracts/errors.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { knownBalances } from '../../services/game-session/adapters/known-balances.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { begin } from '../../services/game-session/core/session.ts';
import type { Caller, Ports } from '../../services/game-session/ports.ts';
import { handleDeadline } from '../../services/game-session/usecases/handle-deadline.ts';
import { end } from '../../services/game-session/usecases/end.ts';
import { heartbeat } from '../../services/game-session/usecases/heartbeat.ts';
import { startSession } from '../../services/game-session/usecases/start-session.ts';
import { redisAnswered } from '../../services/ott/adapters/redis-answered.ts';
import { redisOtts } from '../../services/ott/adapters/redis-otts.ts';
import { mint } from '../../services/ott/core/ott.ts';
import { claimOtt } from '../../services/ott/usecases/claim-ott.ts';
import { delivery } from '../support/delivery.ts';
import { waitingCaller } from '../support/incoming.ts';

/** 1,000 of each; RACE_ROUNDS=100000 for a long run. */
const rounds = Number(process.env['RACE_ROUNDS'] ?? 1_000);
const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 10 });
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});

const sessions = redisSessions(redis, limits, { packs: true });
const endings = new Map<string, number>();
const ports = {
  limits,
  waits: { verifyMs: 1, heartbeatMs: 1 },
  sessions,
  request: async () => undefined,
  requestTogether: async () => undefined,
  balances: knownBalances({ awaitedPerSec: Infinity }),
  notes: { heartbeatNotAwaited: () => undefined, lateHeartbeat: () => undefined, spared: () => undefined },
  publish: async (name: string, data: { session?: { gameSessionId: string } }) => {
    const id = data.session?.gameSessionId ?? '';
    if (name === 'game-session.ending') endings.set(id, (endings.get(id) ?? 0) + 1);
  },
  reply: () => undefined,
  traceparent: () => null,
} as unknown as Ports;

const newPc = () => `pc_${randomBytes(16).toString('hex')}`;
const started = (pcId: string, startedAtMs = Date.now()) => {
  const gameSessionId = gameSessionIdFor(randomUUID(), pcId);
  const order = {
    ...{ gameSessionId, pcId, presentationId: randomUUID(), tokenHash: 'a'.repeat(64), cafeId: 'cafe-1' },
    ...{
      gameId: 'starfall',
      providerUserId: 'u1',
      isPcCafe: true,
      launcherSessionId: randomUUID(),
      startedAtMs,
    },
  };
  return { order, pending: false, remainingSec: 1 };
};

/** A session that began some seconds ago, sitting at a PC of its own. */
const playing = async (agoSec = 0): Promise<string> => {
  const session = begin(started(newPc(), Date.now() - agoSec * 1000), limits);
  await sessions.update(session.gameSessionId, () => session, session.pcId);
  return session.gameSessionId;
};

const caller: Caller = { gameId: 'starfall', keyId: 'k1', outagePolicy: 'continue' };
const outcomeOf = async (answer: Promise<object>): Promise<string> => {
  try {
    const received = await answer;
    return 'result' in received ? String(received.result) : 'OK';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};
const beats = (id: string) =>
  outcomeOf(
    heartbeat(ports)({
      caller,
      incoming: waitingCaller,
      body: { gameSessionId: id, providerUserId: 'u1' },
    } as Parameters<ReturnType<typeof heartbeat>>[0]),
  );
const ends = (id: string) =>
  outcomeOf(
    end(ports)({ caller, incoming: waitingCaller, body: { gameSessionId: id } } as Parameters<
      ReturnType<typeof end>
    >[0]),
  );

/** Runs the rounds in batches, and counts each outcome. */
const race = async (round: () => Promise<string>): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (let done = 0; done < rounds; done += 50) {
    for (const outcome of await Promise.all(Array.from({ length: 50 }, round))) {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
  }
  return counts;
};

describe(`one winner, and the loser receives its answer of the specification (${rounds} rounds each, on real Redis)`, () => {
  test('verify × verify: a token is claimed once, the other presentation receives OTT_ALREADY_USED (I1)', async () => {
    const otts = redisOtts(redis, limits, { packs: true });
    const round = async () => {
      const tokenHash = createHash('sha256').update(randomUUID()).digest('hex');
      const published: string[] = [];
      const publish = async (name: string, data: { reason?: string }) =>
        void published.push(data.reason ?? name);
      const accepted = { versionOf: async () => 0, remember: () => undefined };
      const tokens = { hash: (text: string) => createHash('sha256').update(text).digest('hex') };
      const unbilled = { seconds: async () => 0 };
      const ottPorts = {
        limits: { ...limits, unbilledCapSec: 1 },
        otts,
        publish,
        accepted,
        answered: redisAnswered(redis, limits),
        tokens,
        unbilled,
      } as unknown as Parameters<typeof claimOtt>[0];
      const seat = {
        cafeId: 'cafe-1',
        pcId: newPc(),
        launcherSessionId: randomUUID(),
        isPcCafe: true,
        gameId: 'starfall',
      };
      const request = { ...seat, ottRequestId: randomUUID(), tokenHash, replyKey: 'AAAA', traceparent: null };
      await otts.update(tokenHash, () => mint(request, Date.now(), limits));
      const present = () =>
        claimOtt(ottPorts)(
          {
            ...{ presentationId: randomUUID(), tokenHash, gameId: 'starfall' },
            ...{ outagePolicy: 'continue', providerUserId: 'u1' },
          },
          delivery(),
        );
      await Promise.all([present(), present()]);
      return published.sort().join(' + ');
    };

    expect(await race(round)).toEqual({ 'OTT_ALREADY_USED + ott.accepted': rounds });
  }, 30_000);

  test('verify × verify on one PC: one live session, the other was replaced and ends once (I2)', async () => {
    const round = async () => {
      const pcId = newPc();
      const both = [started(pcId), started(pcId)];
      await Promise.all(both.map((each) => startSession(ports)(each, delivery())));
      const looks = await Promise.all(both.map(({ order }) => sessions.read(order.gameSessionId)));
      const replaced = looks
        .filter(({ record }) => record?.endReason === 'replaced')
        .map(({ record }) => record!.gameSessionId);
      const live = looks
        .filter(({ record }) => record?.state === 'active')
        .map(({ record }) => record!.gameSessionId);
      const holder = await sessions.holderOf(pcId);
      return `${live.length} live, ${replaced.length} replaced, ${endings.get(replaced[0] ?? '')} ending, ${holder === live[0]}`;
    };

    expect(await race(round)).toEqual({ '1 live, 1 replaced, 1 ending, true': rounds });
  }, 30_000);

  test('heartbeat × sweeper on a session whose time is up: it ends once and the heartbeat receives 404 (I5, I6)', async () => {
    const round = async () => {
      const id = await playing(600);
      const [received] = await Promise.all([beats(id), handleDeadline(ports)(id)]);
      return `${received}, ${endings.get(id)} ending`;
    };

    expect(await race(round)).toEqual({ 'SESSION_NOT_FOUND, 1 ending': rounds });
  }, 30_000);

  test('end × end: one SUCCESS, one ALREADY_ENDED, one stop', async () => {
    const round = async () => {
      const id = await playing();
      const received = await Promise.all([ends(id), ends(id)]);
      return `${received.sort().join(' + ')}, ${endings.get(id)} ending`;
    };

    expect(await race(round)).toEqual({ 'ALREADY_ENDED + SUCCESS, 1 ending': rounds });
  }, 30_000);

  test('end × heartbeat: the end is SUCCESS, the heartbeat receives OK or SESSION_ENDING, and it ends once', async () => {
    const round = async () => {
      const id = await playing();
      const [ended, beaten] = await Promise.all([ends(id), beats(id)]);
      const { record: session } = await sessions.read(id);
      return `${ended}, ${beaten === 'OK' || beaten === 'SESSION_ENDING'}, ${session?.state}, ${endings.get(id)} ending`;
    };

    expect(await race(round)).toEqual({ 'SUCCESS, true, ending, 1 ending': rounds });
  }, 30_000);
});
