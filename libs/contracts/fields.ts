import { z } from 'zod';

/** A UUID of version 4, in either case, as a string (spec 2.1). */
export const uuidV4 = z
  .string()
  .regex(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
    'must be a UUID of version 4',
  );

/** Spec 2.2: `gs_` and a UUID. */
export const gameSessionId = z
  .string()
  .regex(/^gs_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be gs_ and a UUID')
  .meta({
    description: 'Id of the game session, returned by verify.',
    example: 'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
  });

/** The platform's user id: text without control characters (spec 2.2; the bound is ours, D-19). */
export const providerUserId = z
  .string()
  .min(1, 'must not be empty')
  .max(128, 'must be at most 128 characters')
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')
  .meta({ description: "The game platform's player user id, as a string.", example: '76561198000000001' });

/** A game's id: a Kubernetes object name. */
export const gameId = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and dashes')
  .meta({ description: 'Id of a game.', example: 'starfall' });

/** The name of a cafe, as the partner knows it. */
export const cafeId = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}$/, 'must be a cafe id')
  .meta({ description: 'Id of a PC cafe.', example: 'cafe-seoul-01' });

/** A PC: `pc_` and 32 hexadecimal digits of the digest of cafe and machine id. */
export const pcId = z
  .string()
  .regex(/^pc_[0-9a-f]{32}$/)
  .meta({
    description: 'Id of a PC: a digest of its cafe and machine id.',
    example: 'pc_5f16c2b17f39b2c9bbd40e5a6ea0f1a2',
  });

/** SHA-256 in hexadecimal. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal');

/** An instant in milliseconds since the Unix epoch. */
export const instantMs = z.int().nonnegative();

/** A span of play in whole seconds. */
export const playSeconds = z
  .int()
  .nonnegative()
  .meta({ description: 'Play time in whole seconds.', example: 372 });

/** An address in text, IPv4 or IPv6. */
export const ipAddress = z
  .union([z.ipv4(), z.ipv6()])
  .meta({ description: 'An IP address.', example: '203.0.113.10' });
