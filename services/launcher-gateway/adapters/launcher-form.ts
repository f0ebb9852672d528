import { isPin, pinOf, withPin } from '#libs/kernel/partition-pins.ts';
import { uuidOfDigest } from '#libs/kernel/shards.ts';
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
      key_id: 'k',
      key_fingerprint: 'f',
    },
    addresses: { ip: 'a' },
    traces: { traceparent: 'x' },
    uuids: { launcher_session_id: 'l' },
    flags: { is_pc_cafe: 'i', is_own_key: 'o' },
    numbers: {
      partitions: 'n',
      last_seen_at_ms: 'h',
      deadline_at_ms: 'd',
      ends_at_ms: 'z',
      pending_since_ms: 'p',
    },
  },
  {
    usual: { state: 'live', is_pc_cafe: true, deadline_at_ms: 245_000 },
    since: { deadline_at_ms: 'last_seen_at_ms', ends_at_ms: 'last_seen_at_ms' },
  },
);

/** As `fingerprintOf` makes them. */
const fingerprint = /^[0-9a-f]{12}$/;

/** The UUID that `startSession` makes of a token's hash, where it tells so many partitions (D-63). */
const toldUuid = (wire: Wire, partitions: number): string =>
  withPin(uuidOfDigest(String(wire['token_hash'])), partitions);

/** Without the launcher session's UUID, where the token's hash and how many partitions it tells make it. */
const withoutUuid = (wire: Wire): Wire => {
  const uuid = wire['launcher_session_id'];
  const partitions = pinOf(String(uuid));
  const isTold = partitions !== undefined && uuid === toldUuid(wire, partitions);
  return isTold ? { ...wire, launcher_session_id: null, partitions } : wire;
};
const withUuid = ({ partitions, ...wire }: Wire): Wire =>
  isPin(partitions) ? { ...wire, launcher_session_id: toldUuid(wire, partitions) } : wire;

/** A key that many PCs of a cafe share is mostly named after the cafe: then its id begins with a dot, as no key's id does, and tells the rest. */
const shortenedKey = (wire: Wire): Wire => {
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

const wholeKey = (wire: Wire): Wire => {
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
  parse: (wire, source) =>
    parse(wholeKey(source === 'packed' ? withUuid(wire as Wire) : (wire as Wire)), source),
  packing: { pack: (record) => fields.pack(shortenedKey(withoutUuid(record))), unpack: fields.unpack },
  told: (id, pcId) => ({ id, token_hash: tokenHashOf(id), pc_id: pcId }),
};
