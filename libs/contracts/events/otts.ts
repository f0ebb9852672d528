import { z } from 'zod';
import { verifyReason } from '../api/game.ts';
import {
  cafeId,
  gameId,
  gameSessionId,
  instantMs,
  isPcCafe,
  launcherSessionId,
  ottRequestId,
  pcId,
  presentationId,
  providerUserId,
  sha256,
  version,
} from '../fields.ts';

/** Who asks for a token: a PC of a cafe, through its launcher session. */
const seat = {
  cafe_id: cafeId,
  pc_id: pcId,
  launcher_session_id: launcherSessionId,
  is_pc_cafe: isPcCafe,
  game_id: gameId,
};

/** The gateway asks for a token. `reply_key` is the public key (SPKI, base64) that the token is sealed for (D-18). */
export const ottRequested = z.object({
  ott_request_id: ottRequestId,
  ...seat,
  reply_key: z.base64().max(600).meta({
    description: 'Public key (SPKI, base64) that the token is sealed for (D-18).',
    example: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A',
  }),
});

/** What the launcher that waits for a token receives: the token, encrypted for `reply_key` (D-18). */
export const ottReply = z.object({ sealedToken: z.string() });

/** What a game wants while the partner does not answer (D-12). An event of a version that did not know it means `continue`. */
const outagePolicy = z.enum(['continue', 'refuse']).default('continue').meta({
  description: 'Whether play begins while the partner does not answer (D-12).',
  example: 'continue',
});

/** Who holds a token for now: the presentation that claimed it (D-03). */
export const ottClaim = z.object({
  presentation_id: presentationId,
  game_session_id: gameSessionId,
  provider_user_id: providerUserId,
  claimed_at_ms: instantMs.meta({ description: 'When it was claimed, in ms since the Unix epoch.' }),
  deadline_ms: instantMs.nullable().default(null).meta({
    description:
      'Until when billing may start for it, in ms since the Unix epoch; null: until the message says.',
  }),
  outage_policy: outagePolicy,
});

/** A one-time token (spec 2.1, 3.1), stored under its SHA-256; the token itself is nowhere at rest. */
export const ottRecord = z.object({
  version,
  token_hash: sha256.meta({ description: 'SHA-256 of the token.' }),
  state: z
    .enum(['issued', 'claimed', 'consumed', 'expired', 'voided'])
    .meta({ description: 'The state (spec 3.1).', example: 'issued' }),
  ott_request_id: ottRequestId,
  ...seat,
  issued_at_ms: instantMs.meta({ description: 'When it was issued, in ms since the Unix epoch.' }),
  expires_at_ms: instantMs.meta({ description: 'When it expires, in ms since the Unix epoch.' }),
  deadline_at_ms: instantMs.meta({
    description: 'When a sweeper must look at it, in ms since the Unix epoch.',
  }),
  claim: ottClaim.nullable().meta({ description: 'Who holds it for now, or null.' }),
  given_back_until_ms: instantMs.nullable().default(null).meta({
    description:
      'The deadline of the claim that was given back last: a presentation that ends no later is that one, heard again (D-03). Null: none was.',
  }),
});

const theOtt = ottRecord.meta({ description: 'The token, whole, but for the token itself.' });

/** A token was minted; `sealed_token` opens only with the private key of the gateway that asked (D-18). */
export const ottIssued = z.object({
  ott: theOtt,
  sealed_token: z
    .base64()
    .max(1000)
    .meta({ description: 'The token, sealed for reply_key (D-18).', example: 'c2VhbGVk' }),
});

/** A token changed its state. */
export const ottChanged = z.object({ ott: theOtt });

/** A claim was given back: nothing may be billed for the game session that it was to become. An event of a version that did not say so names none. */
export const ottGivenBack = z.object({
  ott: theOtt,
  game_session_id: gameSessionId
    .nullable()
    .default(null)
    .meta({ description: 'The game session that will not be, or null where that is not said.' }),
});

/** A game server presents a token, named by its hash. */
export const ottPresented = z.object({
  presentation_id: presentationId,
  token_hash: sha256.meta({ description: 'SHA-256 of the token.' }),
  game_id: gameId,
  provider_user_id: providerUserId,
  outage_policy: outagePolicy,
});

/** The reasons of spec 4.1 that the token itself gives. */
export const ottRefusalReason = z
  .enum(['OTT_EXPIRED', 'OTT_ALREADY_USED', 'GAME_MISMATCH'])
  .meta({ description: 'Why the token was not accepted (spec 4.1).', example: 'OTT_EXPIRED' });

/** What the verify that waits for a presentation receives (spec 4.1). `unavailable`: it took too long, and may be tried again. */
export const verifyReply = z.union([
  z.object({ isValid: z.literal(true), gameSessionId: z.string(), isPcCafe: z.boolean() }),
  z.object({ isValid: z.literal(false), reason: verifyReason }),
  z.object({ unavailable: z.literal(true) }),
]);

/** A presentation was turned back. */
export const ottRefused = z.object({
  presentation_id: presentationId,
  token_hash: sha256.meta({ description: 'SHA-256 of the token.' }),
  reason: ottRefusalReason,
});
