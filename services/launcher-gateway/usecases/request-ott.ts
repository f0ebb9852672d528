import type { requestOtt as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import type { Ports, SessionCaller } from '../ports.ts';
import { checkCafeAddress } from './support/check-cafe-address.ts';
import { recordSignOfLife } from './support/record-sign-of-life.ts';

/** Spec 3.1, first row: requests a token over the log. From another address than the session's, the cafe is checked again (D-17). */
export const requestOtt =
  (ports: Ports) =>
  async ({
    body,
    caller,
    incoming,
  }: Call<typeof contract, SessionCaller>): Promise<Data<typeof contract>> => {
    const { request, ids, tokens, limits, waits } = ports;
    const { id, cafeId, pcId, launcherSessionId, isPcCafe, ip } = caller.session;
    await ports.rateLimits.token(pcId);
    if (ports.catalog.game(body.gameId) === undefined) throw new Refusal('GAME_NOT_FOUND');
    if (caller.ip !== ip) await checkCafeAddress(ports, caller.ip, cafeId);
    await recordSignOfLife(ports, id);
    if (incoming.hasGone()) throw unavailable();
    const issueTo = { cafeId, pcId, launcherSessionId, isPcCafe, gameId: body.gameId };
    const order = { ottRequestId: ids.uuid(), replyKey: tokens.replyKey, ...issueTo };
    const reply = await request('ott.requested', order, { waitMs: waits.ottMs });
    if (reply === undefined) throw unavailable();
    return { ott: tokens.decrypt(reply.sealedToken), gameId: body.gameId, expiresInSec: limits.ottTtlSec };
  };
