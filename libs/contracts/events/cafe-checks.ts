import { z } from 'zod';
import { cafeId, checkId, ipAddress } from '../fields.ts';

/** Data of `cafe-check.requested`. */
export const cafeCheckRequested = z.object({ check_id: checkId, ip: ipAddress });

const verdict = z.enum(['known', 'unknown', 'unavailable']);

/** The reply to `cafe-check.requested`. `cafeId`: the cafe that the address belongs to, or null. */
export const cafeCheckReply = z.object({ verdict, cafeId: z.string().nullable() });

/** Data of `cafe-check.answered`: the partner's verdict on an address. `unavailable`: the partner did not respond in time. */
export const cafeCheckAnswered = z.object({
  check_id: checkId,
  ip: ipAddress,
  verdict: verdict.meta({
    description: 'The verdict of the partner; unavailable: it did not respond in time.',
    example: 'known',
  }),
  cafe_id: cafeId
    .nullable()
    .meta({ description: 'The cafe that the address belongs to, or null.', example: 'cafe-seoul-01' }),
});
