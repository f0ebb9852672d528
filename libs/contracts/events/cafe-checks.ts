import { z } from 'zod';
import { cafeId, checkId, ipAddress } from '../fields.ts';

/** The gateway asks whose address this is. */
export const cafeCheckRequested = z.object({ check_id: checkId, ip: ipAddress });

const verdict = z.enum(['known', 'unknown', 'unavailable']);

/** What the session start that waits for a check receives; `cafeId`: whose address it is. */
export const cafeCheckReply = z.object({ verdict, cafeId: z.string().nullable() });

/** The partner's verdict on an address. `unavailable`: nobody could say in time. */
export const cafeCheckAnswered = z.object({
  check_id: checkId,
  ip: ipAddress,
  verdict: verdict.meta({
    description: 'What the partner said; unavailable: nobody could say in time.',
    example: 'known',
  }),
  cafe_id: cafeId.nullable().meta({ description: 'Whose address it is, or null.', example: 'cafe-seoul-01' }),
});
