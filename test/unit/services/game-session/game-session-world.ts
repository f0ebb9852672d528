import type { Sealed } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { noneOver } from '../../../../services/game-session/adapters/redis-sessions.ts';
import { plays } from '../../../../services/game-session/core/session.ts';
import type { Session } from '../../../../services/game-session/core/session.ts';
import type { Ports } from '../../../../services/game-session/ports.ts';
import { memoryRecords } from '../../../support/memory-records.ts';

export const startedAtMs = 1_700_000_000_000;
export const pcId = `pc_3${'0'.repeat(31)}`;

/** The ports of game-session that its event handlers use, in memory: a clock to turn, what was published, and what callers received. */
export const newWorld = () => {
  const world = {
    nowMs: startedAtMs,
    published: [] as (readonly [name: EventName, data: Record<string, unknown>])[],
    replies: [] as unknown[],
    /** What a heartbeat's renewal replies; undefined: nothing in time. */
    renewal: undefined as unknown,
    pending: [] as string[],
    /** Whether balances are known to last, and heartbeats come in crowds. */
    balancesLast: false,
    /** What the partner said is left of a balance. */
    told: [] as (readonly [cafeId: string, remainingSec: number])[],
    /** Heartbeats for whose renewal nobody waits. */
    later: [] as string[],
    /** Whose stops the partner confirmed. */
    confirmed: [] as string[],
  };
  const records = memoryRecords<Session>({
    idOf: ({ gameSessionId }) => gameSessionId,
    ownerOf: ({ pcId: owner }) => owner,
    holdsSeat: plays,
    clock: () => world.nowMs,
  });
  const sessions: Partial<Ports['sessions']> = {
    read: async (id) => ({ ...(await records.read(id)), launcher: undefined }),
    beat: async () => undefined,
    over: noneOver,
    update: (id, decide, owner) =>
      records.update(id, (current) => decide({ ...current, launcher: undefined }), owner),
    updateByBeat: (id, decide) =>
      records.update(id, (current) => decide({ ...current, launcher: undefined })),
    holderOf: records.holderOf,
  };
  const ports = {
    limits,
    waits: { verifyMs: 1, heartbeatMs: 1, publishMs: 1 },
    sessions,
    pending: { add: async (id: string) => void world.pending.push(id) },
    requestTogether: async (name: EventName, { json }: Sealed) => {
      world.published.push([name, fromWire(events[name].data, JSON.parse(json))]);
      return world.renewal;
    },
    publishHeartbeatLater: ({ key }: Sealed) => void world.later.push(key),
    balances: {
      told: (cafeId: string, remainingSec: number) => void world.told.push([cafeId, remainingSec]),
      heartbeatCame: () => world.balancesLast,
      heartbeatsGather: () => 'far',
    },
    reply: (_meta: unknown, _contract: unknown, outcome: unknown) => void world.replies.push(outcome),
    publish: async (name: EventName, data: Record<string, unknown>) =>
      void world.published.push([name, data]),
    traceparent: () => null,
    notes: {
      heartbeatNotAwaited: () => undefined,
      lateHeartbeat: () => undefined,
      spared: () => undefined,
      stopConfirmed: ({ gameSessionId }: Session) => void world.confirmed.push(gameSessionId),
      foreignSession: () => undefined,
    },
  } as unknown as Ports;
  return Object.assign(world, { ports, records: records.records, seats: records.seats });
};
export type GameSessionWorld = ReturnType<typeof newWorld>;

/** The order of a game session; the same number is the same session. */
export const orderOf = (serial: number, atMs = startedAtMs): EventData<'billing.started'>['order'] => ({
  gameSessionId: `gs_3f0e8a52-7c1d-4b7e-9a53-${String(serial).padStart(12, '0')}`,
  presentationId: '9f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
  launcherSessionId: '7f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
  ...{ tokenHash: 'a'.repeat(64), cafeId: 'cafe-1', pcId, gameId: 'starfall', isPcCafe: true },
  ...{ providerUserId: 'u1', startedAtMs: atMs },
});

/** The session of this number, as it is stored. */
export const sessionOf = ({ records }: GameSessionWorld, serial: number): Session => {
  const session = records.get(orderOf(serial).gameSessionId);
  if (session === undefined) throw new Error('no such session is stored');
  return session;
};

export const eventsOf = ({ published }: GameSessionWorld) => published.map(([name]) => name);
