import { z } from 'zod';
import { cafeId, gameId, gameSessionId, instantMs, pcId, playSeconds, providerUserId } from '../fields.ts';

/** Why play ended. */
export const endReason = z.enum([
  'game_ended',
  'replaced',
  'silence',
  'grace_over',
  'launcher_lapsed',
  'launcher_ended',
]);

/** A game session, whole (spec 2.2, 3.2): every event on the topic carries it, so that the log can rebuild the hot view. */
export const gameSession = z.object({
  version: z.int().positive(),
  game_session_id: gameSessionId,
  state: z.enum(['active', 'charge_exhausted', 'ending', 'ended']),
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  provider_user_id: providerUserId,
  is_pc_cafe: z.boolean(),
  launcher_session_id: z.uuid(),
  started_at_ms: instantMs,
  last_seen_at_ms: instantMs,
  exhausted_at_ms: instantMs.nullable(),
  ended_at_ms: instantMs.nullable(),
  end_reason: endReason.nullable(),
  play_duration_sec: playSeconds,
  client_play_duration_sec: playSeconds.nullable(),
  partner_play_duration_sec: playSeconds.nullable(),
  deadline_at_ms: instantMs,
  /** The W3C trace of the verify that began the session: its end and its ledger line join it (D-22). */
  traceparent: z.string().max(55).nullable(),
});

/** A game session changed. */
export const gameSessionChanged = z.object({ session: gameSession });
