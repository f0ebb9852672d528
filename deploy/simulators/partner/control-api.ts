import { z } from 'zod';
import { ipAddress } from '#libs/contracts/fields.ts';
import { startResponse } from '#libs/contracts/partner.ts';

/** PUT /control/cafes/{cafe_id}: the prepaid seconds that a cafe has left, or the addresses that are its own from now on. */
export const cafeBody = z
  .object({ ...startResponse.pick({ remaining_sec: true }).shape, ips: z.array(ipAddress) })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'must have remaining_sec or ips');

/** PUT /control/faults: what goes wrong with an operation from now on. DELETE takes all faults away. */
export const faultBody = z.object({
  operation: z.enum(['check', 'start', 'renew', 'stop', 'all']),
  mode: z.enum([
    ...['error', 'timeout', 'slow', 'lost_reply', 'late_reply', 'none'],
    // Responses that cannot be believed; the work is not done.
    ...['not_json', 'wrong_shape', 'negative', 'absurd', 'redirect', 'huge'],
  ] as const),
  /** Of `error`: the HTTP status. */
  status: z.int().min(400).max(599).default(500),
  /** How long the response is held back, in ms. */
  delay_ms: z.int().nonnegative().max(60_000).default(0),
  /** The share of requests that it happens to. */
  ratio: z.number().min(0).max(1).default(1),
  /** After so many requests it is over; null: never. */
  count: z.int().positive().nullable().default(null),
});
