import { z } from 'zod';
import { errors } from './errors.ts';
import type { ErrorCode } from './errors.ts';

const requestId = z.string().regex(/^req_/).meta({
  description: 'Id of the request; name it when you contact support.',
  example: 'req_0f9d3c1e5b7a4d2c8e6f1a3b5c7d9e0f',
});

const succeeded = z.literal(true).meta({ description: 'Always true with a 200.', example: true });

/** The body of every 200 (spec 2.3). */
export const success = <S extends z.ZodType>(data: S) =>
  z.object({ success: succeeded, request_id: requestId, data });

const codes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

/** The body of every error (D-01). */
export const failure = z.object({
  success: z.literal(false).meta({ description: 'Always false with an error.', example: false }),
  request_id: requestId,
  error: z
    .object({
      code: z.enum(codes).meta({ description: 'What went wrong; branch on this.', example: 'BAD_REQUEST' }),
      message: z.string().meta({
        description: 'The error in words, for people; do not branch on it.',
        example: errors.BAD_REQUEST.message,
      }),
    })
    .loose()
    .meta({ description: 'What went wrong.' }),
});
