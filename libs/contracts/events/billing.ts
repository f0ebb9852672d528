import { z } from 'zod';
import {
  cafeId,
  gameId,
  gameSessionId,
  instantMs,
  isPcCafe,
  launcherSessionId,
  pcId,
  playSeconds,
  presentationId,
  providerUserId,
  remainingSec,
  sha256,
} from '../fields.ts';

/** All that is needed to start billing a game session, and to create the session once billing has started. */
export const billingOrder = z.object({
  game_session_id: gameSessionId,
  presentation_id: presentationId,
  token_hash: sha256.meta({ description: 'SHA-256 of the token that was presented.' }),
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  provider_user_id: providerUserId,
  is_pc_cafe: isPcCafe,
  launcher_session_id: launcherSessionId,
  started_at_ms: instantMs.meta({ description: 'When billing starts, in ms since the Unix epoch.' }),
});

const theOrder = { description: 'What is asked of the partner.' };

/** Billing runs. `pending`: the partner has not confirmed yet and is asked again (D-12). */
export const billingStarted = z.object({
  order: billingOrder.meta(theOrder),
  pending: z
    .boolean()
    .meta({ description: 'The partner has not confirmed yet and is asked again (D-12).', example: false }),
  remaining_sec: remainingSec.nullable().meta({
    description: "Seconds left on the cafe's balance; null while the partner has not said.",
    example: 3600,
  }),
});

/** Billing did not start, for good: nothing is billed for this id. */
export const billingRefused = z.object({
  order: billingOrder.meta(theOrder),
  reason: z
    .enum(['insufficient_balance', 'too_late', 'partner_unavailable'])
    .meta({ description: 'Why billing did not start.', example: 'insufficient_balance' }),
});

/** What became of a start that was pending. */
export const billingConfirmed = z.object({
  order: billingOrder.meta(theOrder),
  outcome: z
    .enum(['started', 'refused'])
    .meta({ description: 'What the partner said at last.', example: 'started' }),
});

/** The partner renewed a billing. */
export const billingRenewed = z.object({
  game_session_id: gameSessionId,
  remaining_sec: remainingSec,
});

/** The cafe's balance is used up. */
export const billingExhausted = z.object({ game_session_id: gameSessionId });

/** The partner confirmed that billing has stopped, and with how many seconds. */
export const billingStopped = z.object({
  game_session_id: gameSessionId,
  partner_play_duration_sec: playSeconds.meta({
    description: 'Seconds that the partner confirmed.',
    example: 372,
  }),
});

/** The stop of a billing, as asked of the partner. */
export const stopOrder = z.object({
  game_session_id: gameSessionId,
  play_duration_sec: playSeconds,
  stopped_at_ms: instantMs.meta({ description: 'When play was over, in ms since the Unix epoch.' }),
  reason: z.string().max(64).meta({ description: 'Why play ended.', example: 'game_ended' }),
  /** All that a start needs, so that a stop which finds no billing can begin it first: what was played is billed (I3). */
  played: z
    .object({
      cafe_id: cafeId,
      pc_id: pcId,
      game_id: gameId,
      provider_user_id: providerUserId,
      started_at_ms: instantMs.meta({ description: 'When billing starts, in ms since the Unix epoch.' }),
    })
    .nullable()
    .default(null)
    .meta({ description: 'Who played what where; null when nothing was played.' }),
});

const start = z.literal('start').meta({ description: 'What to do.', example: 'start' });
const stop = z.literal('stop').meta({ description: 'What to do.', example: 'stop' });

/** A call to the partner that must be made again, at or after `due_at_ms`. */
export const billingRetry = z.object({
  game_session_id: gameSessionId,
  attempt: z.int().positive().meta({ description: 'Which attempt this will be.', example: 2 }),
  due_at_ms: instantMs.meta({ description: 'Not before, in ms since the Unix epoch.' }),
  first_failed_at_ms: instantMs.meta({
    description: 'When the call first failed, in ms since the Unix epoch.',
  }),
  call: z
    .discriminatedUnion('operation', [
      z.object({ operation: start, order: billingOrder.meta(theOrder) }),
      z.object({ operation: stop, order: stopOrder.meta(theOrder) }),
    ])
    .meta({ description: 'The call to make again.' }),
});
