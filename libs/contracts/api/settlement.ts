import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { endReason } from '../events/game-sessions.ts';
import { cafeId, gameId, gameSessionId, pcId, playSeconds, sha256 } from '../fields.ts';

/** One line of the ledger: seconds, never amounts (D-16). Written when play is over; `partner_play_duration_sec` follows when the partner has confirmed. */
export const ledgerEntry = z.object({
  game_session_id: gameSessionId,
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  user_hash: sha256.meta({ description: 'SHA-256 of game and player.', example: 'f'.repeat(64) }),
  started_at: z.iso
    .datetime()
    .meta({ description: 'Start of play, RFC 3339.', example: '2026-11-20T09:00:00.000Z' }),
  ended_at: z.iso
    .datetime()
    .meta({ description: 'End of play, RFC 3339.', example: '2026-11-20T09:06:12.000Z' }),
  end_reason: endReason.meta({ description: 'Why play ended.', example: 'game_ended' }),
  play_duration_sec: playSeconds.meta({
    description: 'Seconds played, the authoritative value (spec 4.3).',
    example: 372,
  }),
  client_play_duration_sec: playSeconds
    .nullable()
    .meta({ description: 'Seconds as the game measured them, or null.', example: 370 }),
  partner_play_duration_sec: playSeconds
    .nullable()
    .meta({ description: 'Seconds the partner confirmed, or null as long as it has not.', example: 372 }),
  compensation_sec: playSeconds.meta({ description: 'Seconds given back.', example: 0 }),
});

/** Reads one entry of the ledger. */
export const getSession = endpoint({
  name: 'settled-session',
  method: 'GET',
  path: '/v1/sessions/:game_session_id',
  summary: 'What was played in one game session.',
  auth: 'none',
  params: z.object({ game_session_id: gameSessionId }),
  data: ledgerEntry,
  errors: ['SESSION_NOT_FOUND', 'UNAVAILABLE'],
});
