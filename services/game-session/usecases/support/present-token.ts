import type { verify as contract } from '#libs/contracts/api/game.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import type { Call } from '#libs/http/route.ts';
import type { Caller, Ports } from '../../ports.ts';

/** A verify's call and answer. */
export type VerifyCall = Call<typeof contract, Caller>;
export type VerifyAnswer = Data<typeof contract>;

/**
 * Spec 4.1: presents the token and waits for the outcome. The session begins whether or not this caller still waits, and the same
 * presentation id leads to the same session, whose id tells what the presentation's does of partitions (D-63). Tokens that are none count
 * against the key that presents them (D-42).
 */
export const presentToken =
  ({ request, tokens, ids, waits, rateLimits }: Ports) =>
  async ({ body, caller, incoming }: VerifyCall, presentationId: string): Promise<VerifyAnswer> => {
    if (incoming.hasGone()) throw unavailable();
    await rateLimits.verify(caller);
    const presentation = {
      presentationId: ids.pinned(presentationId),
      tokenHash: tokens.hash(body.ott.toLowerCase()),
      gameId: caller.gameId,
      outagePolicy: caller.outagePolicy,
      providerUserId: body.providerUserId,
    };
    const reply = await request('ott.presented', presentation, { waitMs: waits.verifyMs });
    if (reply === undefined || 'unavailable' in reply) throw unavailable();
    if (!reply.isValid && reply.reason !== 'NOT_CHARGEABLE') await rateLimits.guess(caller);
    return reply;
  };
