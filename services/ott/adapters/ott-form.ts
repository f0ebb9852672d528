import { ottRecord } from '#libs/contracts/events/otts.ts';
import { gameSessionIdFor, uuidOfDigest } from '#libs/kernel/shards.ts';
import { packing } from '#libs/records/packing.ts';
import type { Wire } from '#libs/records/packing.ts';
import { recordParser } from '#libs/records/record-parser.ts';
import type { RecordForm } from '#libs/records/record-types.ts';
import type { Ott } from '../core/ott.ts';

/** How long after its issue a consumed token is due whose record says nothing of it, in ms (D-04). */
export const usualMemoryMs = 86_400_000;

const fields = packing(
  {
    texts: {
      state: 's',
      cafe_id: 'c',
      'claim.presented_event_id': 'y',
      'claim.outage_policy': 'q',
      voids: 'v',
    },
    names: { 'claim.provider_user_id': 'u' },
    traces: { traceparent: 'x' },
    uuids: {
      ott_request_id: 'r',
      launcher_session_id: 'l',
      'claim.presentation_id': 'p',
      'claim.game_session_id': 'j',
    },
    flags: { is_pc_cafe: 'i' },
    numbers: {
      issued_at_ms: 'b',
      expires_at_ms: 'e',
      deadline_at_ms: 'd',
      given_back_until_ms: 'z',
      'claim.claimed_at_ms': 'h',
      'claim.deadline_ms': 'w',
    },
    lists: { given_back_event_ids: 'n' },
  },
  {
    usual: {
      ...{ state: 'consumed', is_pc_cafe: true, 'claim.outage_policy': 'continue' },
      ...{ expires_at_ms: 60_000, deadline_at_ms: usualMemoryMs },
    },
    since: {
      expires_at_ms: 'issued_at_ms',
      deadline_at_ms: 'issued_at_ms',
      given_back_until_ms: 'issued_at_ms',
      'claim.claimed_at_ms': 'issued_at_ms',
      'claim.deadline_ms': 'issued_at_ms',
    },
  },
);

/** The session that a claim becomes, unless one before it was given back: its presentation and its PC tell it (`claim` of core/claim.ts). */
const toldSession = (wire: Wire): string | undefined => {
  const claim = wire['claim'] as { readonly presentation_id: string } | null;
  return claim ? gameSessionIdFor(claim.presentation_id, String(wire['pc_id'])) : undefined;
};

/** The request that a gateway makes for a token: the token's hash tells it (`requestOtt` of the gateway). */
const toldRequest = (wire: Wire): string => uuidOfDigest(String(wire['token_hash']));

const withClaimOf = (wire: Wire, session: unknown): Wire => ({
  ...wire,
  claim: { ...(wire['claim'] as Wire), game_session_id: session },
});
const sessionOf = (wire: Wire): unknown => (wire['claim'] as Wire | null)?.['game_session_id'];

/** Without what other fields tell. */
const shortened = (wire: Wire): Wire => {
  const token = wire['ott_request_id'] === toldRequest(wire) ? { ...wire, ott_request_id: null } : wire;
  const session = sessionOf(wire);
  return session !== undefined && session === toldSession(wire) ? withClaimOf(token, null) : token;
};
const completed = (wire: Wire): Wire => {
  const token = { ...wire, ott_request_id: wire['ott_request_id'] ?? toldRequest(wire) };
  return sessionOf(wire) === null ? withClaimOf(token, toldSession(wire)) : token;
};

const parse = recordParser(ottRecord);

/** Tokens as hashes of Redis; consume.lua knows some of the names, and that no value has a line break. */
export const ottForm: RecordForm<Ott> = {
  parse: (wire, source) => parse(completed(wire as Wire), source),
  packing: { pack: (record) => fields.pack(shortened(record)), unpack: fields.unpack },
  told: (tokenHash, seat) => {
    const [pcId, gameId] = seat.split('/');
    return { token_hash: tokenHash, pc_id: pcId, game_id: gameId };
  },
};
