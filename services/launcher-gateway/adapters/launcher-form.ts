import { packing } from '#libs/records/packing.ts';
import type { Wire } from '#libs/records/packing.ts';
import { recordParser } from '#libs/records/record-parser.ts';
import type { RecordForm } from '#libs/records/record-types.ts';
import { launcherSession } from '../core/launcher-session.ts';
import type { LauncherSession } from '../core/launcher-session.ts';
import { tokenHashOf } from './session-ids.ts';

const fields = packing(
  {
    texts: {
      state: 's',
      cafe_id: 'c',
      ip: 'a',
      key_id: 'k',
      key_fingerprint: 'f',
    },
    traces: { traceparent: 'x' },
    uuids: { launcher_session_id: 'l' },
    flags: { is_pc_cafe: 'i', is_own_key: 'o' },
    numbers: { last_seen_at_ms: 'h', deadline_at_ms: 'd', ends_at_ms: 'z', pending_since_ms: 'p' },
  },
  {
    usual: { state: 'live', is_pc_cafe: true, deadline_at_ms: 245_000 },
    since: { deadline_at_ms: 'last_seen_at_ms', ends_at_ms: 'last_seen_at_ms' },
  },
);

/** As `fingerprintOf` makes them. */
const fingerprint = /^[0-9a-f]{12}$/;

/** A key that many PCs of a cafe share is mostly named after the cafe: then its id begins with a dot, as no key's id does, and tells the rest. */
const shortened = (wire: Wire): Wire => {
  const { cafe_id: cafe, key_id: key, key_fingerprint: mark, is_own_key: isOwn } = wire;
  const beginning = `${String(cafe)}.`;
  if (isOwn !== false || !String(key).startsWith(beginning) || !fingerprint.test(String(mark))) return wire;
  return {
    ...wire,
    key_id: String(key).slice(beginning.length - 1),
    key_fingerprint: Buffer.from(String(mark), 'hex').toString('base64url'),
    is_own_key: null,
  };
};
/** A key's id, as it was before a record was packed. */
export const wholeKeyId = (cafeId: string, keyId: string): string =>
  keyId.startsWith('.') ? cafeId + keyId : keyId;

const completed = (wire: Wire): Wire => {
  const { cafe_id: cafe, key_id: key, key_fingerprint: mark } = wire;
  if (typeof key !== 'string' || !key.startsWith('.')) return wire;
  return {
    ...wire,
    key_id: wholeKeyId(String(cafe), key),
    key_fingerprint: Buffer.from(String(mark), 'base64url').toString('hex'),
    is_own_key: false,
  };
};

const parse = recordParser(launcherSession);

/** Launcher sessions as hashes of Redis. */
export const launcherForm: RecordForm<LauncherSession> = {
  parse: (wire, source) => parse(completed(wire as Wire), source),
  packing: { pack: (record) => fields.pack(shortened(record)), unpack: fields.unpack },
  told: (id, pcId) => ({ id, token_hash: tokenHashOf(id), pc_id: pcId }),
};
