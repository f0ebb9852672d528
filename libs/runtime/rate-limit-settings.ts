import { z } from 'zod';
import type { Rate } from '#libs/kernel/rate.ts';
import { wholeNumber } from './settings.ts';

const form = /^([1-9]\d{0,6})\/([1-9]\d{0,5})$/;

/** A rate as text: so many at once, a slash, and the seconds in which all of them come back. */
const rate = (burst: number, windowSec: number) =>
  z
    .string()
    .regex(form, 'must be so many at once, a slash, and the seconds in which they come back, such as 60/300')
    .transform((text): Rate => {
      const [, allowed, seconds] = form.exec(text) ?? [];
      return { burst: Number(allowed), windowSec: Number(seconds) };
    })
    .default({ burst, windowSec });

/**
 * How often callers may try (D-42). A cafe is many PCs behind one address, and all of them may be switched on at once: what is counted by
 * address or cafe has room for that. RATE_STARTS_PER_PC is multiplied by the PCs of the cafe, CAFE_PCS where its key does not say how many;
 * one of these PCs alone has four times the rate.
 */
export const rateLimitSettings = {
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),
  RATE_STARTS_PER_ADDRESS: rate(1_500, 300),
  RATE_STARTS_PER_PC: rate(3, 300),
  CAFE_PCS: wholeNumber(1, 10_000).default(200),
  RATE_TOKENS_PER_PC: rate(20, 60),
  RATE_WRONG_TOKENS_PER_ADDRESS: rate(600, 300),
  RATE_FAILURES_PER_ADDRESS: rate(60, 60),
  RATE_FAILURES_PER_KEY: rate(60, 60),
  RATE_GUESSES_PER_KEY: rate(300, 60),
};

/** The part of a configuration that `rateLimitSettings` describes. */
export type RateLimitConfig = z.output<z.ZodObject<typeof rateLimitSettings>>;
