import { z } from 'zod';

/** A message that could not be read, or failed for good, as it was and why. */
export const deadLetter = z.object({
  topic: z.string(),
  partition: z.int().nonnegative(),
  offset: z.string(),
  group: z.string(),
  key: z.string().nullable(),
  value_base64: z.string(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  reason: z.string().max(2000),
});
