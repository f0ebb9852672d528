import { z } from 'zod';

const header = z.object({
  name: z.string().meta({ description: 'Name.', example: 'ce_type' }),
  value: z.string().meta({ description: 'Value.', example: 'dev.gsb.ott.issued' }),
});

/** Data of `dead-letter.recorded`: a message that could not be read or failed for good, unchanged, with the reason. It is its writer's word: what is replayed is what the log has there (D-70). */
export const deadLetter = z.object({
  topic: z.string().meta({ description: 'The topic that it was read from.', example: 'ott-claims.v1' }),
  partition: z.int().nonnegative().meta({ description: 'The partition.', example: 0 }),
  offset: z.string().meta({ description: 'The offset.', example: '4711' }),
  group: z
    .string()
    .meta({ description: 'The consumer group that dead-lettered it.', example: 'game-session' }),
  key: z
    .string()
    .nullable()
    .meta({ description: 'Its key, or null.', example: 'pc_5f16c2b17f39b2c9bbd40e5a6ea0f1a2' }),
  value_base64: z.string().meta({ description: 'Its unchanged value, in base64.', example: 'e30=' }),
  headers: z.array(header).meta({ description: 'Its headers.' }),
  reason: z
    .string()
    .max(2000)
    .meta({ description: 'Why it was dead-lettered.', example: 'the value is not JSON' }),
});
