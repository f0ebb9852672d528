import type { startSession as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { advance } from '../core/launcher-session.ts';
import type { LauncherSession } from '../core/launcher-session.ts';
import type { LauncherChange, Ports, Signer } from '../ports.ts';
import { checkCafeAddress } from './support/check-cafe-address.ts';

const mostTries = 10;

/** A signer and the address of this request. */
export type SignedCaller = Signer & { readonly ip: string };

type Fresh = Omit<LauncherSession, 'version' | 'state' | 'lastSeenAtMs' | 'deadlineAtMs'>;

const replacement = async (
  { sessions, limits }: Ports,
  holder: string | undefined,
): Promise<LauncherChange[]> => {
  if (holder === undefined) return [];
  const { session: before, nowMs } = await sessions.look(holder);
  const after = before && advance(before, 'replace', nowMs, limits);
  return after ? [{ before, after }] : [];
};

/** The new session takes the PC's seat; whoever sat there is replaced, in one step. The game session of the PC stays. */
const sitDown = async (ports: Ports, fresh: Fresh): Promise<{ nowMs: number }> => {
  const { sessions, limits } = ports;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { nowMs, holder } = await sessions.look(fresh.id, fresh.pcId);
    const deadlineAtMs = nowMs + limits.launcherSilenceSec * 1000;
    const after: LauncherSession = { ...fresh, version: 1, state: 'live', lastSeenAtMs: nowMs, deadlineAtMs };
    const seat = { before: holder, after: fresh.id };
    if (await sessions.commit([{ before: undefined, after, seat }, ...(await replacement(ports, holder))]))
      return { nowMs };
  }
  throw unavailable();
};

/** Contract of the launcher API: the signature named the cafe, the address proves it. */
export const startSession =
  (ports: Ports) =>
  async ({ body, caller }: Call<typeof contract, SignedCaller>): Promise<Data<typeof contract>> => {
    const { tokens, ids, catalog, limits } = ports;
    const { cafeId, ip } = caller;
    await checkCafeAddress(ports, ip, cafeId);
    const pcId = tokens.pcId(cafeId, body.hardware.machineId);
    const { token, id, tokenHash } = tokens.fresh(pcId);
    const launcherSessionId = ids.uuid();
    const { nowMs } = await sitDown(ports, {
      id,
      tokenHash,
      launcherSessionId,
      cafeId,
      pcId,
      ip,
      isPcCafe: true,
    });
    const started = { launcherSessionId, cafeId, pcId, atMs: nowMs };
    await ports.publish('launcher-session.started', started, { timeoutMs: ports.waits.publishMs });
    return {
      sessionToken: token,
      heartbeatIntervalSec: limits.heartbeatIntervalSec,
      serverTime: new Date(nowMs).toISOString(),
      games: catalog.games().map(({ gameId, name }) => ({ gameId, name })),
    };
  };
