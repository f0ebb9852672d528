import { createHash } from 'node:crypto';
import type { EventName } from '#libs/contracts/events.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { holdsSeat, seatOf } from '../../../../services/ott/core/ott.ts';
import type { Ott } from '../../../../services/ott/core/ott.ts';
import type { Ports, SealedOtt } from '../../../../services/ott/ports.ts';
import { claimOtt } from '../../../../services/ott/usecases/claim-ott.ts';
import { issueOtt } from '../../../../services/ott/usecases/issue-ott.ts';
import { delivery } from '../../../support/delivery.ts';
import { memoryRecords } from '../../../support/memory-records.ts';

const uuidOf = (serial: number) => `${String(serial).padStart(8, '0')}-0000-4000-8000-000000000000`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
export const pcId = `pc_3${'0'.repeat(31)}`;

/** The ports of ott in memory: a clock to turn, a cafe's unbilled seconds, and what was published. */
export const newWorld = () => {
  const world = {
    nowMs: 1_700_000_000_000,
    unbilledSec: 0,
    unbilledOf: [] as string[],
    heldOf: [] as (readonly [gameSessionId: string, playedSec: number])[],
    acceptedVersions: new Map<string, number>(),
    published: [] as (readonly [name: EventName, data: Record<string, unknown>])[],
  };
  const records = memoryRecords<Ott>({
    idOf: ({ tokenHash }) => tokenHash,
    ownerOf: seatOf,
    holdsSeat,
    clock: () => world.nowMs,
  });
  const sealed = new Map<string, SealedOtt>();
  const answered = new Set<string>();
  let serial = 0;
  const ports: Ports = {
    limits: { ...limits, unbilledCapSec: 100 },
    otts: {
      ...records,
      sealedOnce: async (request, made) => {
        sealed.set(request, sealed.get(request) ?? made);
        return sealed.get(request) ?? made;
      },
      consume: async () => undefined,
      restore: async () => undefined,
    },
    recentLog: {
      open: (_signal, use) => use({ groups: new Map(), ends: new Map(), otts: async () => undefined }),
      behind: async (ends) => ends,
    },
    unbilled: {
      begin: async (_cafeId, gameSessionId) => void world.unbilledOf.push(gameSessionId),
      hold: async (_cafeId, gameSessionId, playedSec) => void world.heldOf.push([gameSessionId, playedSec]),
      end: async () => undefined,
      seconds: async () => world.unbilledSec,
    },
    accepted: {
      versionOf: async (tokenHash) => world.acceptedVersions.get(tokenHash) ?? 0,
      remember: ({ tokenHash, version }) => void world.acceptedVersions.set(tokenHash, version),
    },
    answered: {
      has: async (tokenHash, eventId) => answered.has(`${tokenHash} ${eventId}`),
      remember: async (tokenHash, eventId) => void answered.add(`${tokenHash} ${eventId}`),
    },
    traceparent: () => null,
    tokens: {
      hash,
      makeSealed: (replyKey) => {
        const token = uuidOf((serial += 1));
        return { tokenHash: hash(token), sealedToken: `${token} for ${replyKey}` };
      },
    },
    publish: async (name, data) => void world.published.push([name, data]),
  };
  return Object.assign(world, { ports, otts: records.records, answered });
};
export type OttWorld = ReturnType<typeof newWorld>;

/** A launcher asks for a token; the same number is the same request. A gateway of an older version lets ott make the token. */
export const issue = (
  world: OttWorld,
  serial: number,
  {
    gameId = 'starfall',
    tokenHash = hash(`token ${serial}`),
    askedAtMs = world.nowMs,
  }: { gameId?: string; tokenHash?: string | null; askedAtMs?: number } = {},
) =>
  issueOtt(world.ports)(
    {
      ...{ ottRequestId: uuidOf(serial), tokenHash, replyKey: 'AAAA', cafeId: 'cafe-1', pcId, gameId },
      ...{ launcherSessionId: uuidOf(0), isPcCafe: true },
    },
    { ...delivery(), time: new Date(askedAtMs).toISOString() },
  );

/** A game server presents the token that was issued last, and waits until `deadlineMs`; the same number is the same presentation, and the same event unless `eventId` says otherwise. */
export const present = (
  world: OttWorld,
  serial: number,
  { gameId = 'starfall', deadlineMs = 0, eventId = `event-${serial}` } = {},
) =>
  claimOtt(world.ports)(
    {
      ...{ presentationId: uuidOf(serial), tokenHash: theOtt(world).tokenHash, gameId },
      ...{ outagePolicy: 'continue', providerUserId: 'u1' },
    },
    { ...delivery({ requestId: 'req_1', ...(deadlineMs > 0 && { deadlineMs }) }), id: eventId },
  );

/** The token that was issued last. */
export const theOtt = ({ otts }: OttWorld): Ott => {
  const ott = [...otts.values()].at(-1);
  if (ott === undefined) throw new Error('no token was issued');
  return ott;
};

/** What billing says about the claim of the token that was issued last. */
export const orderOf = (world: OttWorld) => {
  const { tokenHash, cafeId, gameId, launcherSessionId, isPcCafe, claim } = theOtt(world);
  if (claim === null) throw new Error('nobody holds the token');
  const { gameSessionId, presentationId, providerUserId, claimedAtMs: startedAtMs } = claim;
  return {
    ...{ tokenHash, cafeId, gameId, launcherSessionId, isPcCafe, pcId },
    ...{ gameSessionId, presentationId, providerUserId, startedAtMs },
  };
};
