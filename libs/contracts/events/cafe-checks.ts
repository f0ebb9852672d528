import { z } from 'zod';
import { cafeId, ipAddress } from '../fields.ts';

/** The gateway asks whose address this is. */
export const cafeCheckRequested = z.object({ check_id: z.uuid(), ip: ipAddress });

/** The partner's verdict on an address. `unavailable`: nobody could say in time. */
export const cafeCheckAnswered = z.object({
  check_id: z.uuid(),
  ip: ipAddress,
  verdict: z.enum(['known', 'unknown', 'unavailable']),
  cafe_id: cafeId.nullable(),
});
