import type { requestOtt as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import { uuidOfDigest } from '#libs/kernel/shards.ts';
import type { Ports, SessionCaller } from '../ports.ts';
import { checkSessionAddress } from './support/check-session-address.ts';
import { recordSignOfLife } from './support/record-sign-of-life.ts';

/** Spec 3.1, first row: requests a token over the log. Its address is checked again (D-17, D-45). */
export const requestOtt =
  (ports: Ports) =>
  async ({
    body,
    caller,
    incoming,
  }: Call<typeof contract, SessionCaller>): Promise<Data<typeof contract>> => {
    const { request, tokens, limits, waits } = ports;
    const { cafeId, pcId, launcherSessionId, isPcCafe } = caller.session;
    await ports.rateLimits.token(pcId);
    if (ports.catalog.game(body.gameId) === undefined) throw new Refusal('GAME_NOT_FOUND');
    await checkSessionAddress(ports, caller, waits.ownTokenCheckMs);
    await recordSignOfLife(ports, caller);
    if (incoming.hasGone()) throw unavailable();
    const issueTo = { cafeId, pcId, launcherSessionId, isPcCafe, gameId: body.gameId };
    const { ott, tokenHash } = tokens.newOtt(pcId);
    const ottRequestId = uuidOfDigest(tokenHash);
    const order = { ottRequestId, tokenHash, replyKey: tokens.seal?.replyKey ?? null, ...issueTo };
    const reply = await request('ott.requested', order, { waitMs: waits.ottMs });
    if (reply === undefined) throw unavailable();
    const issued = reply.sealedToken === '' ? ott : tokens.seal?.open(reply.sealedToken);
    if (issued === undefined) throw unavailable();
    return { ott: issued, gameId: body.gameId, expiresInSec: limits.ottTtlSec };
  };
