import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { errors } from './errors.ts';
import type { ErrorCode } from './errors.ts';

/** How many sessions one request may be about (D-41). */
export const maxBatchSize = 500;
/** Enough for 500 items of the longest fields. */
const maxBatchBytes = 524_288;

const codes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];
const itemId = z.string().meta({
  description: 'Id of the game session, as it was sent.',
  example: 'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
});

/** What an item is answered that the single call would refuse. */
const refused = z
  .object({
    game_session_id: itemId,
    status: z.int().min(400).meta({ description: 'The status of the single call.', example: 404 }),
    error: z
      .object({
        code: z
          .enum(codes)
          .meta({ description: 'The code of the single call.', example: 'SESSION_NOT_FOUND' }),
        message: z.string().meta({
          description: 'The error in words, for people.',
          example: errors.SESSION_NOT_FOUND.message,
        }),
        retry_after_sec: z.int().positive().optional().meta({
          description: 'After how many seconds to try again: what the single call would say in Retry-After.',
          example: 1,
        }),
      })
      .meta({ description: 'The error of the single call.' }),
  })
  .meta({ title: 'Refused', description: 'The single call would be refused.' });

interface Single<D extends z.ZodType> extends Endpoint {
  readonly data: D;
}

interface BatchTexts<I extends z.ZodRawShape> {
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  /** What an item has beside its id. Only its types are checked for the whole request; the rest is answered item by item. */
  readonly item: I;
}

const hasEachOnce = (items: readonly unknown[]): boolean =>
  new Set(items.map((item) => (item as { game_session_id: string }).game_session_id)).size === items.length;

/** The contract of a batch: the items in order, each answered as the single call would answer it (D-41). */
export const batchOf = <D extends z.ZodType, const I extends z.ZodRawShape>(
  single: Single<D>,
  { name, path, summary, item }: BatchTexts<I>,
) => {
  const answered = z
    .object({
      game_session_id: itemId,
      status: z.literal(200).meta({ description: 'The single call would succeed.', example: 200 }),
      data: single.data.meta({ description: 'The data of the single call.' }),
    })
    .meta({ title: 'Answered', description: 'The single call would succeed.' });
  const sessions = z
    .array(z.object({ game_session_id: itemId, ...item }).meta({ description: 'One session.' }))
    .min(1, 'must not be empty')
    .max(maxBatchSize, `must be at most ${maxBatchSize}`)
    .refine(hasEachOnce, 'must not name a game session twice')
    .meta({ description: `The sessions, each once: 1 to ${maxBatchSize}.` });
  const results = z
    .array(z.union([answered, refused]).meta({ description: 'The answer to one item.' }))
    .meta({ description: 'The answer to each item, in their order.' });
  return {
    ...{ name, path, summary, method: single.method, auth: single.auth },
    body: z.object({ sessions }),
    maxBodyBytes: maxBatchBytes,
    data: z.object({ results }),
    errors: ['INVALID_API_KEY', 'RATE_LIMITED', 'UNAVAILABLE'],
  } as const satisfies Endpoint;
};
