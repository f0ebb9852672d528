import type { requestOtt as contract } from '#libs/contracts/api/launcher.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { ottReply } from '#libs/contracts/events/otts.ts';
import type { Call } from '#libs/http/route.ts';
import type { Holder, Ports } from '../ports.ts';
import { checkCafeAddress } from './support/check-cafe-address.ts';
import { signOfLife } from './heartbeat-session.ts';

/** Spec 3.1, first row: asks for a token through the log. From another address than the session's, the cafe is checked again (D-17). */
export const requestOtt =
  (ports: Ports) =>
  async ({ body, caller }: Call<typeof contract, Holder>): Promise<Data<typeof contract>> => {
    const { request, ids, tokens, limits, waits } = ports;
    const { id, cafeId, pcId, launcherSessionId, isPcCafe, ip } = caller.session;
    if (ports.catalog.game(body.gameId) === undefined) throw new Refusal('GAME_NOT_FOUND');
    if (caller.ip !== ip) await checkCafeAddress(ports, caller.ip, cafeId);
    await signOfLife(ports, id);
    const seat = { cafeId, pcId, launcherSessionId, isPcCafe, gameId: body.gameId };
    const order = { ottRequestId: ids.uuid(), replyKey: tokens.replyKey, ...seat };
    const reply = await request('ott.requested', order, { waitMs: waits.ottMs });
    if (reply === undefined) throw unavailable();
    return { ott: tokens.open(reply.sealedToken), gameId: body.gameId, expiresInSec: limits.ottTtlSec };
  };

/** A token was minted: whoever waits for it hears it, still sealed. */
export const onOttIssued =
  ({ reply }: Ports) =>
  async ({ sealedToken }: EventData<'ott.issued'>, meta: EventMeta): Promise<void> =>
    reply(meta, ottReply, { sealedToken });
