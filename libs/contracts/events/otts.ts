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

/** Where a token is requested and for which game: the cafe, the PC and its launcher session. */
const seat = {
  cafe_id: cafeId,
  pc_id: pcId,
  launcher_session_id: launcherSessionId,
  is_pc_cafe: isPcCafe,
  game_id: gameId,
};

/** Data of `ott.requested`: the gateway has made the token, and says its hash (D-18). */
export const ottRequested = z.object({
  ott_request_id: ottRequestId,
  ...seat,
  token_hash: sha256.nullable().default(null).meta({
    description:
      'SHA-256 of the token, which the gateway has made; null from gateways of older versions, which let ott make it.',
  }),
  reply_key: z.base64().max(600).nullable().default(null).meta({
    description:
      'Public key (SPKI, base64) that a token made by an ott of an older version is encrypted for; null where none is about.',
    example: null,
  }),
});

/** The reply to `ott.requested`. `sealedToken`: a token that ott has made, encrypted for `reply_key`; empty where the gateway has made it (D-18). */
export const ottReply = z.object({ sealedToken: z.string() });

/** The game's policy while the partner does not respond (D-12). Events of older versions lack it and mean `continue`. */
const outagePolicy = z.enum(['continue', 'refuse']).default('continue').meta({
  description: 'Whether play starts while the partner does not respond (D-12).',
  example: 'continue',
});

/** The CloudEvents id of an `ott.presented`: a redelivery has the same one, another verify has not, even with the same Idempotency-Key. */
const presentedEventId = z
  .string()
  .max(64)
  .meta({ description: 'Id of an event.', example: '3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47' });
/** So many presentations whose claim was given back are remembered; a token can be presented for a minute only. */
const maxGivenBack = 50;

/** The claim on a token: the presentation that holds it until billing has started or was refused (D-03). */
export const ottClaim = z.object({
  presentation_id: presentationId,
  game_session_id: gameSessionId,
  provider_user_id: providerUserId,
  claimed_at_ms: instantMs.meta({
    description: "When it was claimed by the store's clock, in ms since the Unix epoch.",
  }),
  presented_event_id: presentedEventId.nullable().default(null).meta({
    description: 'Id of the event that presented the token; null in claims of older versions.',
  }),
  deadline_ms: instantMs.nullable().default(null).meta({
    description: "The verify's deadline by its own clock; only services of older versions compare it.",
  }),
  outage_policy: outagePolicy,
});

/** A one-time token (spec 2.1, 3.1), stored under its SHA-256; the token itself is never stored. */
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
    description: 'When the sweeper handles it next, in ms since the Unix epoch.',
  }),
  claim: ottClaim.nullable().meta({ description: 'The claim that holds it, or null.' }),
  given_back_until_ms: instantMs.nullable().default(null).meta({
    description:
      'The deadline of the claim that was given back last; only services of older versions compare it. Null: no claim was given back.',
  }),
  given_back_event_ids: z.array(presentedEventId).max(maxGivenBack).default([]).meta({
    description:
      'Ids of the events whose claims were given back, the last ones: when one is redelivered, it claims nothing (D-03).',
  }),
  voids: sha256.nullable().default(null).meta({
    description:
      'SHA-256 of the earlier token of the PC and game that it voided, until it is presented; null where there was none.',
  }),
  traceparent: z.string().max(55).nullable().default(null).meta({
    description:
      'W3C trace of the request for it, which a verify minutes later links to; null where that trace is not kept.',
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  }),
});

const theOtt = ottRecord.meta({ description: "The token's whole record; the token itself is not in it." });

/** Data of `ott.issued`. */
export const ottIssued = z.object({
  ott: theOtt,
  sealed_token: z.base64().max(1000).meta({
    description:
      'The token, encrypted for reply_key, where a gateway of an older version let ott make it; else empty (D-18).',
    example: '',
  }),
});

/** Data of `ott.accepted`. Events of older versions lack `overdue`. */
export const ottAccepted = z.object({
  ott: theOtt,
  overdue: z.boolean().default(false).meta({
    description: 'The claim had no outcome in time: billing is not to start any more (D-34).',
    example: false,
  }),
});

/** Data of `ott.consumed`, `ott.voided` and `ott.expired`. */
export const ottChanged = z.object({ ott: theOtt });

/** Data of `ott.given-back`. Nothing may be billed for `game_session_id`; null where nothing was billed, and in events of older versions. */
export const ottGivenBack = z.object({
  ott: theOtt,
  game_session_id: gameSessionId
    .nullable()
    .default(null)
    .meta({ description: 'The game session that will not start and must not be billed, or null.' }),
  started_at_ms: instantMs.nullable().default(null).meta({
    description: 'When its billing would have started, in ms since the Unix epoch; null in older events.',
  }),
});

/** Data of `ott.presented`: a verify call presents a token, by its hash. */
export const ottPresented = z.object({
  presentation_id: presentationId,
  token_hash: sha256.meta({ description: 'SHA-256 of the token.' }),
  game_id: gameId,
  provider_user_id: providerUserId,
  outage_policy: outagePolicy,
});

/** The reasons of spec 4.1 that come from the token's state. */
export const ottRefusalReason = z
  .enum(['OTT_EXPIRED', 'OTT_ALREADY_USED', 'GAME_MISMATCH'])
  .meta({ description: 'Why the token was not accepted (spec 4.1).', example: 'OTT_EXPIRED' });

/** The reply to `ott.presented` (spec 4.1). `unavailable`: the deadline had passed; the verify may be retried. */
export const verifyReply = z.union([
  z.object({ isValid: z.literal(true), gameSessionId: z.string(), isPcCafe: z.boolean() }),
  z.object({ isValid: z.literal(false), reason: verifyReason }),
  z.object({ unavailable: z.literal(true) }),
]);

/** Data of `ott.refused`. */
export const ottRefused = z.object({
  presentation_id: presentationId,
  token_hash: sha256.meta({ description: 'SHA-256 of the token.' }),
  reason: ottRefusalReason,
});
