import { z } from 'zod';

/** The most characters of the key id of a signature (D-14). */
export const maxKeyIdLength = 128;

/** A UUID of version 4, in upper or lower case (spec 2.1). */
export const uuidV4 = z
  .string()
  .regex(
    /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/,
    'must be a UUID of version 4',
  );

/** The id of a game session: `gs_` and a UUID (spec 2.2). */
export const gameSessionId = z
  .string()
  .regex(/^gs_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be gs_ and a UUID')
  .meta({
    description: 'Id of the game session, returned by verify.',
    example: 'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47',
  });

/** Whether a text has so many characters at most: code points, which a document's `maxLength` counts, where a string counts units of UTF-16. */
export const hasAtMost = (most: number) =>
  [
    (text: string): boolean => text.length <= most || Array.from(text).length <= most,
    `must be at most ${most} characters`,
  ] as const;

/** The platform's user id: text without control characters (spec 2.2; the maximum length is D-19). */
export const providerUserId = z
  .string()
  .min(1, 'must not be empty')
  .refine(...hasAtMost(128))
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')
  .meta({
    maxLength: 128,
    description:
      "The game platform's player user id, as a string. No control characters, no lone surrogates.",
    example: '76561198000000001',
    // A pattern that every dialect of regular expressions understands; UTF-8 cannot carry lone surrogates anyway.
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  });

/** A game's id, which is also the name of its Kubernetes object. */
export const gameId = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and dashes')
  .meta({ description: 'Id of a game.', example: 'starfall' });

/** A cafe's id, as the partner knows it. */
export const cafeId = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}$/, 'must be a cafe id')
  .meta({ description: 'Id of a PC cafe.', example: 'cafe-seoul-01' });

/** A PC's id: `pc_` and 32 hexadecimal digits of a digest of its cafe and machine id. */
export const pcId = z
  .string()
  .regex(/^pc_[0-9a-f]{32}$/)
  .meta({
    description: 'Id of a PC: a digest of its cafe and machine id.',
    example: 'pc_5f16c2b17f39b2c9bbd40e5a6ea0f1a2',
  });

/** SHA-256 in hexadecimal. */
export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')
  .meta({ description: 'A SHA-256 in hexadecimal.', example: 'f'.repeat(64) });

/** An instant in milliseconds since the Unix epoch. */
export const instantMs = z
  .int()
  .nonnegative()
  .meta({ description: 'An instant, in milliseconds since the Unix epoch.', example: 1795165200000 });

const uuid = z.uuid();
const anId = '3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47';

/** A launcher session's public id, which is not its session token. */
export const launcherSessionId = uuid.meta({ description: 'Id of the launcher session.', example: anId });

/** The id of a presentation: one verify call that presents a token. */
export const presentationId = uuid.meta({
  description: 'Id of the presentation: one verify call.',
  example: anId,
});

/** The id of a launcher's request for a token. */
export const ottRequestId = uuid.meta({ description: "Id of the launcher's request.", example: anId });

/** The id of a check whose address an IP address is. */
export const checkId = uuid.meta({ description: 'Id of the check.', example: anId });

/** Whether the launcher session behind the token belongs to a verified PC cafe (D-17). */
export const isPcCafe = z
  .boolean()
  .meta({ description: 'Whether the player is at a verified PC cafe.', example: true });

/** Who plays which game, on which PC: what a billing and its game session have in common. */
export const play = {
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  provider_user_id: providerUserId,
  is_pc_cafe: isPcCafe,
  launcher_session_id: launcherSessionId,
};

/** The version of a record, which compare-and-set compares. */
export const version = z
  .int()
  .positive()
  .meta({ description: 'Version of the record; grows by one with each change.', example: 3 });

/** What is left of a cafe's prepaid balance, in seconds. */
export const remainingSec = z
  .int()
  .nonnegative()
  .meta({ description: "Seconds left on the cafe's balance.", example: 3600 });

/** A duration of play, in whole seconds. */
export const playSeconds = z
  .int()
  .nonnegative()
  .meta({ description: 'Play time in whole seconds.', example: 372 });

/** Whether a stop is made whatever is known of an earlier one, because billing may have started since (D-60). */
export const stopsAgain = z.boolean().optional().meta({
  description:
    'Billing may have started although play was over: it is stopped whatever is known of earlier stops.',
  example: true,
});

/** An IPv4 or IPv6 address as text. */
export const ipAddress = z
  .union([z.ipv4(), z.ipv6()])
  .meta({ description: 'An IP address.', example: '203.0.113.10' });
