import type { startSession as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { uuidOfDigest } from '#libs/kernel/shards.ts';
import { begin, takeSeat } from '../core/launcher-session.ts';
import type { Ports, SignedCaller } from '../ports.ts';
import { checkCafeAddress } from './support/check-cafe-address.ts';

/** D-13: the signature names the cafe and the address proves it; the new session takes the PC's seat in one step. */
export const startSession =
  (ports: Ports) =>
  async ({ body, caller, incoming }: Call<typeof contract, SignedCaller>): Promise<Data<typeof contract>> => {
    const { sessions, tokens, ids, catalog, limits, waits } = ports;
    const { cafeId, keyId, keyFingerprint, isOwnKey, ip } = caller;
    await checkCafeAddress(ports, caller);
    const pcId = tokens.pcId(cafeId, body.hardware.machineId);
    await ports.rateLimits.provenStart(caller, pcId);
    if (incoming.hasGone()) throw unavailable();
    const { token, id, tokenHash } = tokens.newToken(pcId);
    const launcherSessionId = ids.pinned(uuidOfDigest(tokenHash));
    const seat = { id, tokenHash, launcherSessionId, cafeId, pcId, ip, isPcCafe: true };
    const starting = { ...seat, keyId, keyFingerprint, isOwnKey, traceparent: ports.traceparent() };
    const { nowMs: atMs, displaced } = await sessions.update(
      id,
      ({ seated, nowMs }) => takeSeat(begin(starting, nowMs, limits), seated, nowMs, limits),
      pcId,
      { isNew: true },
    );
    if (displaced) ports.notes.seatTaken({ from: displaced, by: starting }, caller);
    const started = { launcherSessionId, cafeId, pcId, atMs };
    await ports.publish('launcher-session.started', started, { timeoutMs: waits.publishMs });
    return {
      sessionToken: token,
      heartbeatIntervalSec: limits.heartbeatIntervalSec,
      serverTime: new Date(atMs).toISOString(),
      games: catalog.games().map(({ gameId, name }) => ({ gameId, name })),
    };
  };
