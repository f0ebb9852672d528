import { z } from 'zod';

const header = z.object({
  name: z.string().meta({ description: 'Name.', example: 'ce_type' }),
  value: z.string().meta({ description: 'Value.', example: 'dev.gsb.ott.issued' }),
});

/** A message that could not be read, or failed for good, as it was and why. */
export const deadLetter = z.object({
  topic: z.string().meta({ description: 'Where it was read.', example: 'otts.v1' }),
  partition: z.int().nonnegative().meta({ description: 'The partition.', example: 0 }),
  offset: z.string().meta({ description: 'The offset.', example: '4711' }),
  group: z.string().meta({ description: 'Which consumer group set it aside.', example: 'game-session' }),
  key: z
    .string()
    .nullable()
    .meta({ description: 'Its key, or null.', example: 'pc_5f16c2b17f39b2c9bbd40e5a6ea0f1a2' }),
  value_base64: z.string().meta({ description: 'Its value as it was, in base64.', example: 'e30=' }),
  headers: z.array(header).meta({ description: 'Its headers.' }),
  reason: z
    .string()
    .max(2000)
    .meta({ description: 'Why it was set aside.', example: 'the value is not JSON' }),
});
