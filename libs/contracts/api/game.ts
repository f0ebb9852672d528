import { z } from 'zod';
import { batchOf } from '../batch.ts';
import { endpoint } from '../endpoint.ts';
import { gameSessionId, playSeconds, providerUserId, uuidV4 } from '../fields.ts';

const ott = uuidV4.meta({
  description: 'The one-time token from the launch data.',
  example: '9b2f6f0a-5f5e-4a8b-8d0f-3a6f0b1c2d3e',
});

const weekSec = 7 * 86_400;

/** The reasons of spec 4.1. */
export const verifyReason = z
  .enum(['OTT_EXPIRED', 'OTT_ALREADY_USED', 'GAME_MISMATCH', 'NOT_CHARGEABLE'])
  .meta({ description: 'Why the token was not accepted.', example: 'OTT_EXPIRED' });

/** The results of spec 4.2. */
export const heartbeatResult = z
  .enum(['OK', 'CHARGE_EXHAUSTED', 'SESSION_REPLACED'])
  .meta({ description: 'What the game server should do next.', example: 'OK' });

const isValid = <V extends boolean>(value: V) =>
  z.literal(value).meta({ description: 'Whether the token was accepted; branch on this.', example: value });

/** Redeems a one-time token (spec 4.1). */
export const verify = endpoint({
  name: 'verify',
  method: 'POST',
  path: '/v1/game/session/verify',
  summary: 'Redeem a one-time token: billing starts and a game session begins.',
  auth: 'api-key',
  shed: 'third',
  body: z.object({ ott, provider_user_id: providerUserId }),
  data: z.discriminatedUnion('is_valid', [
    z
      .object({
        is_valid: isValid(true),
        game_session_id: gameSessionId,
        is_pc_cafe: z
          .boolean()
          .meta({ description: 'Whether the player is at a verified PC cafe.', example: true }),
      })
      .meta({ title: 'The token was accepted', description: 'Billing runs; play begins.' }),
    z
      .object({ is_valid: isValid(false), reason: verifyReason })
      .meta({ title: 'The token was not accepted', description: 'Nothing was started.' }),
  ]),
  errors: ['INVALID_API_KEY', 'REQUEST_IN_FLIGHT', 'IDEMPOTENCY_KEY_REUSED', 'RATE_LIMITED', 'UNAVAILABLE'],
});

/** Keeps a game session alive (spec 4.2). */
export const heartbeat = endpoint({
  name: 'heartbeat',
  method: 'PATCH',
  path: '/v1/game/session/heartbeat',
  summary: 'Report that the player is still playing.',
  auth: 'api-key',
  body: z.object({ game_session_id: gameSessionId, provider_user_id: providerUserId }),
  data: z.object({
    result: heartbeatResult,
    next_heartbeat_in: z.int().positive().meta({
      description:
        'Seconds until the next heartbeat: the interval, or less where many are due in the same second (D-55), or within the grace (D-08).',
      example: 120,
    }),
    play_duration_sec: playSeconds,
  }),
  errors: [
    'INVALID_API_KEY',
    'SESSION_NOT_FOUND',
    'SESSION_ENDED',
    'SESSION_ENDING',
    'RATE_LIMITED',
    'UNAVAILABLE',
  ],
});

/** Ends a game session (spec 4.3). */
export const end = endpoint({
  name: 'end',
  method: 'DELETE',
  path: '/v1/game/session/end',
  summary: 'The player left: billing stops.',
  auth: 'api-key',
  body: z.object({
    game_session_id: gameSessionId,
    play_duration_sec: playSeconds
      .max(weekSec)
      .optional()
      .meta({ description: 'Play time as the game measured it, in seconds.', example: 370 }),
  }),
  data: z.object({
    result: z.literal('SUCCESS').meta({ description: 'Always SUCCESS.', example: 'SUCCESS' }),
    play_duration_sec: playSeconds,
    client_play_duration_sec: playSeconds
      .nullable()
      .meta({ description: 'The value of the request, or null.', example: 370 }),
  }),
  errors: ['INVALID_API_KEY', 'SESSION_NOT_FOUND', 'ALREADY_ENDED', 'RATE_LIMITED', 'UNAVAILABLE'],
});

/** Keeps many game sessions alive (D-41). */
export const heartbeats = batchOf(heartbeat, {
  name: 'heartbeats',
  path: '/v1/game/sessions/heartbeat',
  summary: 'Report of up to 500 players that they are still playing.',
  item: {
    provider_user_id: z
      .string()
      .meta({ description: 'As in a single heartbeat.', example: '76561198000000001' }),
  },
});

/** Ends many game sessions (D-41). */
export const ends = batchOf(end, {
  name: 'ends',
  path: '/v1/game/sessions/end',
  summary: 'Up to 500 players left: billing stops for all of them.',
  item: {
    play_duration_sec: z.number().optional().meta({ description: 'As in a single end.', example: 370 }),
  },
});
