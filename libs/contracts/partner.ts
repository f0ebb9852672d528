import { z } from 'zod';
import { cafeId, gameId, ipAddress, pcId, playSeconds, providerUserId } from './fields.ts';

/** The partner's API, as billing-adapter calls it and the simulator serves it. The specification names the partner but not its API; this one is ours. */
const billingId = z.string().min(1).max(128);
const instant = z.iso.datetime();
/** Upper bounds of plausible values: thirty years of prepaid play for a cafe, thirty days for one session. Larger values are not believed. */
const remainingSec = z.int().nonnegative().max(1_000_000_000);
const plausibleSec = playSeconds.max(2_592_000);

/** The query of GET /v1/cafes. */
export const cafeQuery = z.object({ ip: ipAddress });
/** Its 200; 404 when the address belongs to no cafe. */
export const cafeResponse = z.object({ cafe_id: cafeId });

/** The body of POST /v1/billings, which is idempotent by billing_id. */
export const startBody = z.object({
  billing_id: billingId,
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  provider_user_id: providerUserId,
  started_at: instant,
});
/** Its 201 (new) and 200 (existed). */
export const startResponse = z.object({ status: z.literal('started'), remaining_sec: remainingSec });
/** Its 402. */
export const startRefusal = z.object({ code: z.literal('INSUFFICIENT_BALANCE') });

/** The largest number of renewals in one request. */
export const maxRenewals = 500;
/** The body of POST /v1/billings/renewals. */
export const renewBody = z.object({
  renewals: z
    .array(z.object({ billing_id: billingId, play_duration_sec: playSeconds, at: instant }))
    .min(1)
    .max(maxRenewals),
});
/** Its 200: one result for each renewal. */
export const renewResponse = z.object({
  results: z.array(
    z.object({
      billing_id: billingId,
      status: z.enum(['renewed', 'exhausted', 'unknown', 'stopped']),
      remaining_sec: remainingSec,
    }),
  ),
});

/** The body of POST /v1/billings/{billing_id}/stop; of repeated stops the first counts. */
export const stopBody = z.object({
  play_duration_sec: playSeconds,
  stopped_at: instant,
  reason: z.string().max(64),
});
/** Its 200, for repeated stops too; 404 when there is no such billing. */
export const stopResponse = z.object({ status: z.literal('stopped'), play_duration_sec: plausibleSec });

/** One billing in the partner's ledger. */
export const partnerBilling = z.object({
  billing_id: billingId,
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  provider_user_id: providerUserId,
  status: z.enum(['started', 'stopped']),
  started_at: instant,
  stopped_at: instant.nullable(),
  play_duration_sec: playSeconds,
  requests: z.object({ start: z.int(), renew: z.int(), stop: z.int() }),
});
/** The 200 of GET /v1/billings?day=. */
export const partnerLedger = z.object({ billings: z.array(partnerBilling) });
