import { z } from 'zod';
import {
  cafeId,
  gameId,
  gameSessionId,
  instantMs,
  pcId,
  playSeconds,
  providerUserId,
  sha256,
} from '../fields.ts';

/** All that is needed to start billing a game session, and to create the session once billing has started. */
export const billingOrder = z.object({
  game_session_id: gameSessionId,
  presentation_id: z.uuid(),
  token_hash: sha256,
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  provider_user_id: providerUserId,
  is_pc_cafe: z.boolean(),
  launcher_session_id: z.uuid(),
  started_at_ms: instantMs,
});

/** Billing runs. `pending`: the partner has not confirmed yet and is asked again (D-12). */
export const billingStarted = z.object({
  order: billingOrder,
  pending: z.boolean(),
  remaining_sec: z.int().nonnegative().nullable(),
});

/** Billing did not start, for good: nothing is billed for this id. */
export const billingRefused = z.object({
  order: billingOrder,
  reason: z.enum(['insufficient_balance', 'too_late', 'partner_unavailable']),
});

/** The partner renewed a billing. */
export const billingRenewed = z.object({
  game_session_id: gameSessionId,
  remaining_sec: z.int().nonnegative(),
});

/** The cafe's balance is used up. */
export const billingExhausted = z.object({ game_session_id: gameSessionId });

/** The partner confirmed that billing has stopped, and with how many seconds. */
export const billingStopped = z.object({
  game_session_id: gameSessionId,
  partner_play_duration_sec: playSeconds,
});

/** The stop of a billing, as asked of the partner. */
export const stopOrder = z.object({
  game_session_id: gameSessionId,
  play_duration_sec: playSeconds,
  stopped_at_ms: instantMs,
  reason: z.string().max(64),
});

/** A call to the partner that must be made again, at or after `due_at_ms`. */
export const billingRetry = z.object({
  game_session_id: gameSessionId,
  attempt: z.int().positive(),
  due_at_ms: instantMs,
  first_failed_at_ms: instantMs,
  call: z.discriminatedUnion('operation', [
    z.object({ operation: z.literal('start'), order: billingOrder }),
    z.object({ operation: z.literal('stop'), order: stopOrder }),
  ]),
});
