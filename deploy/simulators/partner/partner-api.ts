import { z } from 'zod';
import { ipAddress, pcId, playSeconds, providerUserId } from '#libs/contracts/fields.ts';
import { maxRenewals, partnerBilling } from '#libs/contracts/partner.ts';

const { billing_id, started_at: instant } = partnerBilling.shape;

/** One billing in the simulated ledger; `requests`: how many came for it. */
export const simulatedBilling = partnerBilling.extend({
  pc_id: pcId,
  provider_user_id: providerUserId,
  requests: z.object({ start: z.int(), renew: z.int(), stop: z.int() }),
});

/** The query of GET /v1/cafes. */
export const cafeQuery = z.object({ ip: ipAddress });

/** The body of POST /v1/billings. */
export const startBody = simulatedBilling.pick({
  billing_id: true,
  cafe_id: true,
  pc_id: true,
  game_id: true,
  provider_user_id: true,
  started_at: true,
});

/** The body of POST /v1/billings/renewals. */
export const renewBody = z.object({
  renewals: z
    .array(z.object({ billing_id, play_duration_sec: playSeconds, at: instant }))
    .min(1)
    .max(maxRenewals),
});

/** The body of POST /v1/billings/{billing_id}/stop. */
export const stopBody = z.object({
  play_duration_sec: playSeconds,
  stopped_at: instant,
  reason: z.string().max(64),
});
