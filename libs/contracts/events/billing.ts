import { z } from 'zod';
import {
  gameSessionId,
  instantMs,
  play,
  playSeconds,
  presentationId,
  remainingSec,
  sha256,
  stopsAgain,
} from '../fields.ts';

/** All that is needed to start billing a game session, and to create the session once billing has started. */
export const billingOrder = z.object({
  game_session_id: gameSessionId,
  presentation_id: presentationId,
  token_hash: sha256.meta({ description: 'SHA-256 of the token that was presented.' }),
  ...play,
  started_at_ms: instantMs.meta({ description: 'When billing starts, in ms since the Unix epoch.' }),
});

const theOrder = { description: 'What the partner is requested to do.' };

/** Data of `billing.started`. */
export const billingStarted = z.object({
  order: billingOrder.meta(theOrder),
  pending: z
    .boolean()
    .meta({ description: 'The partner has not confirmed yet; the start is retried (D-12).', example: false }),
  remaining_sec: remainingSec.nullable().meta({
    description: "Seconds left on the cafe's balance; null until the partner has confirmed.",
    example: 3600,
  }),
});

/** Data of `billing.refused`: nothing is billed for this game session. */
export const billingRefused = z.object({
  order: billingOrder.meta(theOrder),
  reason: z
    .enum(['insufficient_balance', 'too_late', 'partner_unavailable'])
    .meta({ description: 'Why billing did not start.', example: 'insufficient_balance' }),
});

/** Data of `billing.confirmed`: the outcome of a start that was pending. */
export const billingConfirmed = z.object({
  order: billingOrder.meta(theOrder),
  outcome: z
    .enum(['started', 'refused'])
    .meta({ description: "The partner's response.", example: 'started' }),
});

/** Data of `billing.renewed`. */
export const billingRenewed = z.object({
  game_session_id: gameSessionId,
  remaining_sec: remainingSec,
  recharges: z.boolean().default(true).meta({
    description:
      'Whether billing was started by this, or the session was exhausted at its heartbeat: then the session is looked at. True in events of older versions.',
    example: false,
  }),
});

/** Data of `billing.exhausted`. */
export const billingExhausted = z.object({ game_session_id: gameSessionId });

/** Data of `billing.unknown`. */
export const billingUnknown = z.object({ game_session_id: gameSessionId });

/** Data of `billing.stopped`: the partner confirmed the stop, with the seconds that it billed. */
export const billingStopped = z.object({
  game_session_id: gameSessionId,
  partner_play_duration_sec: playSeconds.meta({
    description: 'Seconds that the partner confirmed.',
    example: 372,
  }),
});

/** All that is needed to stop the billing of a game session. */
export const stopOrder = z.object({
  game_session_id: gameSessionId,
  play_duration_sec: playSeconds,
  stopped_at_ms: instantMs.meta({ description: 'When play was over, in ms since the Unix epoch.' }),
  reason: z.string().max(64).meta({ description: 'Why play ended.', example: 'game_ended' }),
  /** What a start needs: a stop that finds no billing starts it first, so that what was played is billed (I3). */
  played: billingOrder
    .pick({ cafe_id: true, pc_id: true, game_id: true, provider_user_id: true, started_at_ms: true })
    .nullable()
    .default(null)
    .meta({ description: 'What a start needs; null when nothing was played.' }),
  again: stopsAgain,
});

const start = z.literal('start').meta({ description: 'The operation.', example: 'start' });
const stop = z.literal('stop').meta({ description: 'The operation.', example: 'stop' });

/** Data of `billing-retry.scheduled`: a call to the partner to retry at `due_at_ms` or later. */
export const billingRetry = z.object({
  game_session_id: gameSessionId,
  attempt: z.int().positive().meta({ description: 'The number of the next attempt.', example: 2 }),
  due_at_ms: instantMs.meta({ description: 'When to retry at the earliest, in ms since the Unix epoch.' }),
  first_failed_at_ms: instantMs.meta({
    description: 'When the call first failed, in ms since the Unix epoch.',
  }),
  call: z
    .discriminatedUnion('operation', [
      z.object({ operation: start, order: billingOrder.meta(theOrder) }),
      z.object({ operation: stop, order: stopOrder.meta(theOrder) }),
    ])
    .meta({ description: 'The call to retry.' }),
});
