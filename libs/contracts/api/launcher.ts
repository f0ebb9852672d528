import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { gameId, hasAtMost, ipAddress, uuidV4 } from '../fields.ts';

const hardwareField = (description: string, example: string) =>
  z
    .string()
    .refine(...hasAtMost(128))
    .meta({ maxLength: 128 })
    .optional()
    .meta({ description, example });

const hardware = z
  .object({
    machine_id: z
      .string()
      .min(1)
      .refine(...hasAtMost(128))
      .meta({
        maxLength: 128,
        description: 'Id of the machine, unique in its cafe; both together identify the PC.',
        example: 'M-017',
      }),
    mac: hardwareField('Hardware address of the network card.', '00:1b:63:84:45:e6'),
    os: hardwareField('Operating system.', 'Windows 11'),
    cpu: hardwareField('Processor.', 'Ryzen 5 7500F'),
    gpu: hardwareField('Graphics card.', 'RTX 4070'),
    ram_mb: z
      .int()
      .nonnegative()
      .max(16_777_216)
      .optional()
      .meta({ description: 'Memory in MiB.', example: 32768 }),
  })
  .meta({ description: 'The hardware of the PC.' });

const intervalSec = z.int().positive().meta({ description: 'Seconds between heartbeats.', example: 120 });

/** Starts a launcher session on a PC (D-13, D-14). */
export const startSession = endpoint({
  name: 'session-start',
  method: 'POST',
  path: '/v1/session/start',
  summary: 'Start a launcher session: the launcher proves its cafe.',
  auth: 'signature',
  shed: 'first',
  body: z.object({
    internal_ip: ipAddress.meta({ description: "The PC's address in the cafe.", example: '192.168.0.17' }),
    hardware,
  }),
  data: z.object({
    session_token: z.string().min(43).max(64).meta({
      description: 'Bearer token of this launcher session.',
      example: 'gsbl_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDU2Nzg',
    }),
    heartbeat_interval_sec: intervalSec,
    server_time: z.iso
      .datetime()
      .meta({ description: "The server's clock, RFC 3339.", example: '2026-11-20T09:00:00.000Z' }),
    games: z
      .array(
        z.object({
          game_id: gameId,
          name: z.string().meta({ description: 'Name to show.', example: 'Starfall' }),
        }),
      )
      .meta({ description: 'The games that can be started.' }),
  }),
  errors: ['INVALID_SIGNATURE', 'NOT_PC_CAFE', 'RATE_LIMITED', 'UNAVAILABLE'],
});

/** Keeps a launcher session alive. */
export const heartbeatSession = endpoint({
  name: 'session-heartbeat',
  method: 'PATCH',
  path: '/v1/session/heartbeat',
  summary: 'Report that the launcher is still running.',
  auth: 'session-token',
  body: z.object({}).optional().meta({ description: 'Nothing, or an empty object.', example: {} }),
  data: z.object({
    result: z.literal('OK').meta({ description: 'Always OK.', example: 'OK' }),
    next_heartbeat_in: intervalSec.meta({
      description:
        'Seconds until the next heartbeat: the interval, or less where many are due in the same second (D-55).',
      example: 120,
    }),
  }),
  errors: ['INVALID_SESSION_TOKEN', 'NOT_PC_CAFE', 'RATE_LIMITED', 'UNAVAILABLE'],
});

/** Asks for a one-time token (spec 2.1). */
export const requestOtt = endpoint({
  name: 'ott',
  method: 'POST',
  path: '/v1/ott',
  summary: 'Request a one-time token for a game.',
  auth: 'session-token',
  shed: 'second',
  body: z.object({ game_id: gameId }),
  data: z.object({
    ott: uuidV4.meta({
      description: 'The token; goes into the launch data.',
      example: '9b2f6f0a-5f5e-4a8b-8d0f-3a6f0b1c2d3e',
    }),
    game_id: gameId,
    expires_in_sec: z.int().positive().meta({ description: 'Seconds until the token expires.', example: 60 }),
  }),
  errors: ['INVALID_SESSION_TOKEN', 'NOT_PC_CAFE', 'GAME_NOT_FOUND', 'RATE_LIMITED', 'UNAVAILABLE'],
});

/** Ends a launcher session, and the PC's game session with it. */
export const endSession = endpoint({
  name: 'session-end',
  method: 'DELETE',
  path: '/v1/session/end',
  summary: 'End the launcher session; the game session of the PC ends with it.',
  auth: 'session-token',
  data: z.object({
    result: z.literal('SUCCESS').meta({ description: 'Always SUCCESS.', example: 'SUCCESS' }),
  }),
  errors: ['INVALID_SESSION_TOKEN', 'RATE_LIMITED', 'UNAVAILABLE'],
});
