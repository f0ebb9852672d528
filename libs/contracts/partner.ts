import { z } from 'zod';
import { cafeId, gameId, ipAddress, pcId, playSeconds, providerUserId } from './fields.ts';

/** The partner's API as billing-adapter's HTTP adapter and the simulator share it. The partner's own is not given (contract, part 4). */
const billingId = z.string().min(1).max(128);
const instant = z.iso.datetime();
/** More is no answer: thirty years of prepaid play for a cafe, thirty days of one session. */
const remainingSec = z.int().nonnegative().max(1_000_000_000);
const plausibleSec = playSeconds.max(2_592_000);

/** GET /v1/cafes?ip= */
export const cafeQuery = z.object({ ip: ipAddress });
/** Its answer on 200; 404 when the address is nobody's. */
export const cafeResponse = z.object({ cafe_id: cafeId });

/** POST /v1/billings; the same billing_id again is the same billing. */
export const startBody = z.object({
  billing_id: billingId,
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  provider_user_id: providerUserId,
  started_at: instant,
});
/** Its answer on 201 and 200. */
export const startResponse = z.object({ status: z.literal('started'), remaining_sec: remainingSec });
/** Its answer on 402. */
export const startRefusal = z.object({ code: z.literal('INSUFFICIENT_BALANCE') });

/** Renewals in one request, at most. */
export const maxRenewals = 500;
/** POST /v1/billings/renewals */
export const renewBody = z.object({
  renewals: z
    .array(z.object({ billing_id: billingId, play_duration_sec: playSeconds, at: instant }))
    .min(1)
    .max(maxRenewals),
});
/** Its answer on 200: one result for each renewal. */
export const renewResponse = z.object({
  results: z.array(
    z.object({
      billing_id: billingId,
      status: z.enum(['renewed', 'exhausted', 'unknown', 'stopped']),
      remaining_sec: remainingSec,
    }),
  ),
});

/** POST /v1/billings/{billing_id}/stop; the first stop counts. */
export const stopBody = z.object({
  play_duration_sec: playSeconds,
  stopped_at: instant,
  reason: z.string().max(64),
});
/** Its answer on 200, repeats included; 404 when there is no such billing. */
export const stopResponse = z.object({ status: z.literal('stopped'), play_duration_sec: plausibleSec });

/** One billing in the partner's books. */
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
/** GET /control/ledger of the simulator, and GET /v1/billings?day= of the partner. */
export const partnerLedger = z.object({ billings: z.array(partnerBilling) });

/** PUT /control/cafes/{cafe_id} */
export const balanceBody = z.object({ remaining_sec: remainingSec });
/** PUT /control/faults */
export const faultBody = z.object({
  operation: z.enum(['check', 'start', 'renew', 'stop', 'all']),
  mode: z.enum([
    ...['error', 'timeout', 'slow', 'lost_reply', 'none'],
    // Answers that cannot be believed; the work is not done.
    ...['not_json', 'wrong_shape', 'negative', 'absurd', 'redirect', 'huge'],
  ] as const),
  status: z.int().min(400).max(599).default(500),
  delay_ms: z.int().nonnegative().max(60_000).default(0),
  ratio: z.number().min(0).max(1).default(1),
  count: z.int().positive().nullable().default(null),
});
