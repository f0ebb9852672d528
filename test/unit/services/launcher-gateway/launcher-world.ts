import { hash } from 'node:crypto';
import { Refusal } from '#libs/contracts/errors.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { withPin } from '#libs/kernel/partition-pins.ts';
import { createSingleFlight } from '#libs/runtime/single-flight.ts';
import type { LauncherSession } from '../../../../services/launcher-gateway/core/launcher-session.ts';
import type { KnownCafe, Ports, SessionCaller } from '../../../../services/launcher-gateway/ports.ts';
import { endSession } from '../../../../services/launcher-gateway/usecases/end-session.ts';
import { startSession } from '../../../../services/launcher-gateway/usecases/start-session.ts';
import { memoryRecords } from '../../../support/memory-records.ts';
import { waitingCaller } from '../../../support/incoming.ts';

export const cafeIp = '203.0.113.7';
export const startedAtMs = 1_700_000_000_000;
type Published = readonly [name: EventName, data: Record<string, unknown>];
type Outcome = Record<string, unknown> | undefined;

const freely = async (): Promise<void> => undefined;

/** The ports of launcher-gateway in memory: a clock to turn, what the partner and ott reply, and what was published. */
export const newWorld = () => {
  const world = {
    nowMs: startedAtMs,
    verdict: { verdict: 'known', cafeId: 'cafe-1' } as Outcome,
    ott: { sealedToken: '' } as Outcome,
    seal: undefined as Ports['tokens']['seal'],
    requests: [] as Published[],
    published: [] as Published[],
    logIsAway: false,
    taken: [] as string[],
  };
  const records = memoryRecords<LauncherSession>({
    idOf: ({ id }) => id,
    ownerOf: ({ pcId }) => pcId,
    holdsSeat: ({ state }) => state === 'live',
    clock: () => world.nowMs,
  });
  const cache = new Map<string, KnownCafe>();
  let serial = 0;
  const ports: Ports = {
    limits,
    waits: { checkMs: 1, ownBeatCheckMs: 1_000, ownTokenCheckMs: 1_000, ottMs: 1, publishMs: 1 },
    sessions: records,
    cafeCache: {
      get: async (ip) => cache.get(ip),
      set: async (ip, cafeId) => void cache.set(ip, { cafeId, isFresh: true }),
    },
    rateLimits: {
      heartbeats: undefined,
      ...{ ask: freely, move: freely, provenStart: freely, token: freely },
    },
    checks: createSingleFlight(),
    catalog: {
      games: () => [{ gameId: 'starfall', name: 'Starfall', outagePolicy: 'continue' as const }],
      game: (gameId) => ports.catalog.games().find((game) => game.gameId === gameId),
    },
    tokens: {
      newToken: () => {
        const token = `token-${(serial += 1)}`;
        return { token, id: `id-${serial}`, tokenHash: hash('sha256', token) };
      },
      newOtt: () => ({ ott: `ott-${(serial += 1)}`, tokenHash: `ott-hash-${serial}` }),
      pcId: (cafeId, machineId) => `${cafeId}/${machineId}`,
      get seal() {
        return world.seal;
      },
    },
    notes: { seatTaken: ({ by }) => void world.taken.push(by.pcId), addressRefused: () => undefined },
    ids: { uuid: () => `uuid-${(serial += 1)}`, pinned: (uuid) => withPin(uuid, 3) },
    request: async (name, data) => {
      world.requests.push([name, data]);
      return (name === 'ott.requested' ? world.ott : world.verdict) as never;
    },
    reply: () => undefined,
    traceparent: () => null,
    publish: async (name, data) => {
      if (world.logIsAway) throw new Refusal('UNAVAILABLE');
      world.published.push([name, data]);
    },
  };
  /** As after the minute for which an address is known. */
  const forgetAddresses = () => cache.clear();
  return Object.assign(world, {
    ports,
    records: records.records,
    forgetAddresses,
    supposesWrong: records.supposesWrong,
  });
};
export type LauncherWorld = ReturnType<typeof newWorld>;

type Start = Parameters<ReturnType<typeof startSession>>[0];
export const start = ({ ports }: LauncherWorld, machineId = 'pc-1', ip = cafeIp) =>
  startSession(ports)({
    body: { internalIp: '192.168.0.2', hardware: { machineId } },
    caller: { cafeId: 'cafe-1', keyId: 'cafe-1.k1', keyFingerprint: 'f1', isOwnKey: false, ip },
    incoming: waitingCaller,
  } as Start);

/** The caller with the session token of the PC's newest session. */
export const callerOf = ({ records, nowMs }: LauncherWorld, ip = cafeIp): SessionCaller => {
  const session = [...records.values()].at(-1);
  if (session === undefined) throw new Error('nobody has started a session');
  const read = {
    nowMs,
    record: session,
    holder: session.id,
    mark: undefined,
    amnestyUntilMs: 0,
    suspendedUntilMs: 0,
  };
  return { session, read, ip: () => ip };
};

/** The end of the launcher's session, by default of the newest one. */
export const end = (world: LauncherWorld, caller = callerOf(world)) =>
  endSession(world.ports)({ caller } as Parameters<ReturnType<typeof endSession>>[0]);

export const eventsOf = ({ published }: LauncherWorld) => published.map(([name]) => name);

/** How long a launcher may be silent. */
export const silenceMs = (limits.launcherSilenceSec + limits.sessionExpirySlackSec) * 1000;
