import { z } from 'zod';
import { gameSessionId, instantMs, play, playSeconds, stopsAgain, version } from '../fields.ts';

/** The reasons for which play ends. */
export const endReason = z
  .enum(['game_ended', 'replaced', 'silence', 'grace_over', 'launcher_lapsed', 'launcher_ended'])
  .meta({ description: 'Why play ended.', example: 'game_ended' });

/** A game session (spec 2.2, 3.2). Every event on the topic carries the whole session, so that the hot view can be rebuilt from the log (D-24). */
export const gameSession = z.object({
  version,
  game_session_id: gameSessionId,
  state: z
    .enum(['active', 'charge_exhausted', 'ending', 'ended'])
    .meta({ description: 'The state (spec 3.2).', example: 'active' }),
  ...play,
  started_at_ms: instantMs.meta({ description: 'When billing started, in ms since the Unix epoch.' }),
  last_seen_at_ms: instantMs.meta({ description: 'The last proof of life, in ms since the Unix epoch.' }),
  exhausted_at_ms: instantMs.nullable().meta({
    description: 'When CHARGE_EXHAUSTED was first answered, which begins the grace, or null (D-37).',
    example: null,
  }),
  ended_at_ms: instantMs.nullable().meta({ description: 'When play ended, or null.', example: null }),
  end_reason: endReason.nullable().meta({ description: 'Why play ended, or null.', example: null }),
  play_duration_sec: playSeconds,
  client_play_duration_sec: playSeconds
    .nullable()
    .meta({ description: 'Seconds as the game measured them, or null.', example: null }),
  partner_play_duration_sec: playSeconds
    .nullable()
    .meta({ description: 'Seconds the partner confirmed, or null.', example: null }),
  deadline_at_ms: instantMs.meta({
    description: 'When the sweeper handles it next, in ms since the Unix epoch.',
  }),
  reminders: z.int().nonnegative().default(0).meta({
    description: 'How often its end was published again (D-06); 0 in events of older versions.',
    example: 0,
  }),
  /** The W3C trace of the verify that started the session, which its end and its ledger entry join (D-22). */
  traceparent: z.string().max(55).nullable().meta({
    description: 'W3C trace of the verify that started it, or null.',
    example: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }),
});

/** Data of the events that tell of a game session. */
export const gameSessionChanged = z.object({
  session: gameSession.meta({ description: 'The whole game session.' }),
});

/** Data of `game-session.ending`. */
export const gameSessionEnding = gameSessionChanged.extend({ again: stopsAgain });

/**
 * The reply to `game-session.heartbeat`: whether the balance is exhausted, the seconds until the next heartbeat, and what the partner said is
 * left of the balance, in seconds, where the session goes on as it was.
 */
export const renewalReply = z.object({
  exhausted: z.boolean(),
  nextHeartbeatIn: z.int().positive(),
  remainingSec: z.int().nonnegative().optional(),
});
