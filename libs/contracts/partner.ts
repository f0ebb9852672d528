import { z } from 'zod';
import { cafeId, gameId, playSeconds } from './fields.ts';

/** The responses of the partner's API. The specification names the partner but not its API; this one is ours. */
/** No control characters, and no halves of a character: a database takes neither. */
const billingId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be text');
const instant = z.iso.datetime();
/** Upper bounds of plausible values: thirty years of prepaid play for a cafe, thirty days for one session. Larger values are not believed. */
const remainingSec = z.int().nonnegative().max(1_000_000_000);
const plausibleSec = playSeconds.max(2_592_000);
/** Before this nobody was billed. */
const plausibleInstant = instant.refine((text) => text >= '2000', 'must be in this millennium');

/** The 200 of GET /v1/cafes; 404 when the address belongs to no cafe. */
export const cafeResponse = z.object({ cafe_id: cafeId });

/** The 201 (new) and 200 (existed) of POST /v1/billings, which is idempotent by billing_id. */
export const startResponse = z.object({ status: z.literal('started'), remaining_sec: remainingSec });
/** Its 402. */
export const startRefusal = z.object({ code: z.literal('INSUFFICIENT_BALANCE') });

/** The largest number of renewals in one request of POST /v1/billings/renewals. */
export const maxRenewals = 500;
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

/** The 200 of POST /v1/billings/{billing_id}/stop, for repeated stops too, of which the first counts; 404 when there is no such billing. */
export const stopResponse = z.object({ status: z.literal('stopped'), play_duration_sec: plausibleSec });

/** One billing in the partner's ledger, as far as it is read; the 200 of GET /v1/billings?day= has a list of them, `billings`. */
export const partnerBilling = z.object({
  billing_id: billingId,
  cafe_id: cafeId,
  game_id: gameId,
  status: z.enum(['started', 'stopped']),
  started_at: plausibleInstant,
  stopped_at: plausibleInstant.nullable(),
  play_duration_sec: plausibleSec,
});
