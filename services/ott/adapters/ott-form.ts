import { ottRecord } from '#libs/contracts/events/otts.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { packing } from '#libs/records/packing.ts';
import type { Wire } from '#libs/records/packing.ts';
import type { RecordForm } from '#libs/records/record-types.ts';
import type { Ott } from '../core/ott.ts';

const fields = packing(
  {
    texts: {
      state: 's',
      cafe_id: 'c',
      'claim.provider_user_id': 'u',
      'claim.presented_event_id': 'y',
      'claim.outage_policy': 'q',
      voids: 'v',
    },
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
    usual: { state: 'consumed', is_pc_cafe: true, 'claim.outage_policy': 'continue' },
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

const claimWith = (wire: Wire, known: unknown, session: unknown): Wire => {
  const claim = wire['claim'] as Wire | null;
  return claim?.['game_session_id'] === known
    ? { ...wire, claim: { ...claim, game_session_id: session } }
    : wire;
};

/** Tokens as hashes of Redis. */
export const ottForm: RecordForm<Ott> = {
  parse: (wire) => fromWire(ottRecord, claimWith(wire as Wire, null, toldSession(wire as Wire))),
  packing: {
    pack: (record) => fields.pack(claimWith(record, toldSession(record), null)),
    unpack: fields.unpack,
  },
  told: (tokenHash, seat) => {
    const [pcId, gameId] = seat.split('/');
    return { token_hash: tokenHash, pc_id: pcId, game_id: gameId };
  },
};
