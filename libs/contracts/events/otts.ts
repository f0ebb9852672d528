import { z } from 'zod';
import { cafeId, gameId, gameSessionId, instantMs, pcId, providerUserId, sha256 } from '../fields.ts';

/** Who asks for a token: a PC of a cafe, through its launcher session. */
const seat = {
  cafe_id: cafeId,
  pc_id: pcId,
  launcher_session_id: z.uuid(),
  is_pc_cafe: z.boolean(),
  game_id: gameId,
};

/** The gateway asks for a token. `reply_key` is the public key (SPKI, base64) that the token is sealed for (D-18). */
export const ottRequested = z.object({ ott_request_id: z.uuid(), ...seat, reply_key: z.base64().max(600) });

/** Who holds a token for now: the presentation that claimed it (D-03). */
export const ottClaim = z.object({
  presentation_id: z.uuid(),
  game_session_id: gameSessionId,
  provider_user_id: providerUserId,
  claimed_at_ms: instantMs,
});

/** A one-time token (spec 2.1, 3.1), stored under its SHA-256; the token itself is nowhere at rest. */
export const ottRecord = z.object({
  version: z.int().positive(),
  token_hash: sha256,
  state: z.enum(['issued', 'claimed', 'consumed', 'expired', 'voided']),
  ott_request_id: z.uuid(),
  ...seat,
  issued_at_ms: instantMs,
  expires_at_ms: instantMs,
  deadline_at_ms: instantMs,
  claim: ottClaim.nullable(),
});

/** A token was minted; `sealed_token` opens only with the private key of the gateway that asked (D-18). */
export const ottIssued = z.object({ ott: ottRecord, sealed_token: z.base64().max(1000) });

/** A token changed its state. */
export const ottChanged = z.object({ ott: ottRecord });

/** A game server presents a token, named by its hash. */
export const ottPresented = z.object({
  presentation_id: z.uuid(),
  token_hash: sha256,
  game_id: gameId,
  provider_user_id: providerUserId,
});

/** The reasons of spec 4.1 that the token itself gives. */
export const ottRefusalReason = z.enum(['OTT_EXPIRED', 'OTT_ALREADY_USED', 'GAME_MISMATCH']);

/** A presentation was turned back. */
export const ottRefused = z.object({
  presentation_id: z.uuid(),
  token_hash: sha256,
  reason: ottRefusalReason,
});
