import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import * as contract from '#libs/contracts/api/game.ts';
import { asRefusal, errors } from '#libs/contracts/errors.ts';
import { inBatches } from '#libs/http/batch.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import type { Log } from '#libs/runtime/log.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { deplete, settle } from '../../services/game-session/core/session.ts';
import type { Ports } from '../../services/game-session/ports.ts';
import { end } from '../../services/game-session/usecases/end.ts';
import { heartbeat } from '../../services/game-session/usecases/heartbeat.ts';
import { waitingCaller } from '../support/incoming.ts';
import { syntheticSession } from '../support/synthetic-session.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 15 });
const sessions = redisSessions(redis, limits, { packs: true });
const log = { error: () => undefined, warn: () => undefined } as unknown as Log;

/** Leaves the sessions' database, which others use too. */
export const closeSessions = (): void => redis.disconnect();

/** A session at its beginning, and what its launcher did since. */
export interface Seat {
  readonly agoSec: number;
  readonly gameId: string;
  readonly launcher: 'lapsed' | 'ended' | undefined;
}

/** What a call was answered; `sec` is play, which goes on between two worlds. */
export interface Said {
  readonly status: number;
  readonly word: string;
  readonly sec?: number;
}
const refused = (error: unknown): Said => {
  const { code } = asRefusal(error);
  return { status: errors[code].status, word: code };
};
const answered = ({ result: word, playDurationSec: sec }: { result: string; playDurationSec: number }) => ({
  ...{ status: 200, word, sec },
});

const caller = { gameId: 'starfall', keyId: 'k1', outagePolicy: 'continue' } as const;
const called = (body: unknown) => ({ caller, incoming: waitingCaller, body }) as never;
type Item = { readonly gameSessionId: string } & Record<string, unknown>;
type UseCase = (call: never) => Promise<{ result: string; playDurationSec: number }>;

/** The single calls of these items, begun in one turn, each checked as its contract says. */
export const alone = (
  single: typeof contract.heartbeat | typeof contract.end,
  useCase: UseCase,
  items: Item[],
) =>
  Promise.all(
    items.map(async ({ gameSessionId: id, providerUserId: user, playDurationSec: sec }) => {
      const wire = { game_session_id: id, provider_user_id: user, play_duration_sec: sec };
      if (!single.body.safeParse(wire).success) return { status: 400, word: 'BAD_REQUEST' };
      const body = { gameSessionId: id, providerUserId: user, playDurationSec: sec };
      return useCase(called(body)).then(answered, refused);
    }),
  );
/** The batch of these items. */
export const together = async (
  single: typeof contract.heartbeat | typeof contract.end,
  useCase: UseCase,
  items: Item[],
): Promise<Said[]> => {
  const { results } = await inBatches(single, useCase as never, log)(called({ sessions: items }));
  return results.map((result, at) => {
    if (result.gameSessionId !== items[at]?.gameSessionId) return { status: 200, word: 'ITEM_OF_ANOTHER' };
    if ('error' in result) return { status: result.status, word: result.error.code };
    return answered(result.data);
  });
};

/** How game servers say something of several sessions: in a batch, or each alone. */
export type Way = typeof together;

/** Sessions in Redis by their places, behind them one that nobody knows; and what is published of each. */
export const newWorld = async (seats: readonly Seat[]) => {
  const ids: string[] = [];
  for (const { agoSec, gameId, launcher } of seats) {
    // Half a second later no second begins while the history lasts.
    const startedAtMs = Date.now() - agoSec * 1000 - 500;
    const session = { ...syntheticSession('cafe-1', startedAtMs), gameId, providerUserId: 'u1' };
    const { gameSessionId, pcId, launcherSessionId } = session;
    await sessions.update(gameSessionId, () => session, pcId);
    const change = launcher && { change: launcher, atMs: Date.now(), launcherSessionId };
    if (change) await sessions.noteLauncher(pcId, change);
    ids.push(gameSessionId);
  }
  ids.push(gameSessionIdFor(randomUUID(), `pc_${'0'.repeat(32)}`));
  const published: string[][] = ids.map(() => []);
  let beaten = 0;
  const note = (name: string, id: string) => void published[ids.indexOf(id)]?.push(name);
  const ports = {
    ...{ limits, sessions, waits: { verifyMs: 1, heartbeatMs: 1, publishMs: 1 } },
    requestTogether: async (name: string, { key }: { key: string }) => note(name, key),
    publishHeartbeatLater: ({ key }: { key: string }) => note('game-session.heartbeat', key),
    // Every other heartbeat that may do without the partner does.
    balances: { told: () => undefined, heartbeatCame: () => (beaten += 1) % 2 === 0 },
    publish: async (name: string, { session }: { session: { gameSessionId: string } }) =>
      note(name, session.gameSessionId),
    notes: {
      heartbeatNotAwaited: () => undefined,
      lateHeartbeat: () => undefined,
      spared: () => undefined,
      foreignSession: () => undefined,
    },
    traceparent: () => null,
  } as unknown as Ports;
  const [beats, ends] = [heartbeat(ports) as UseCase, end(ports) as UseCase];
  const itemsOf = (at: readonly number[], more: Record<string, unknown>) =>
    at.map((place) => ({ gameSessionId: ids[place] ?? '', ...more }));
  return {
    published,
    beat: (way: Way, at: readonly number[], providerUserId = 'u1') =>
      way(contract.heartbeat, beats, itemsOf(at, { providerUserId })),
    end: (way: Way, at: readonly number[], playDurationSec: number) =>
      way(contract.end, ends, itemsOf(at, { playDurationSec })),
    /** The balance of some runs out, or the partner confirms their stops. */
    change: (at: readonly number[], does: 'deplete' | 'settle') =>
      Promise.all(
        at.map((place) =>
          sessions.update(ids[place] ?? '', ({ record, nowMs }) => {
            if (record === undefined) return undefined;
            return does === 'deplete' ? deplete(record, limits) : settle(record, 0, nowMs, limits);
          }),
        ),
      ),
    stored: () =>
      Promise.all(
        ids.map(async (id) => {
          const { record } = await sessions.read(id);
          return record && [record.state, record.endReason, record.clientPlayDurationSec, record.version];
        }),
      ),
  };
};
