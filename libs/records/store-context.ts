import { z } from 'zod';
import { unavailable } from '#libs/contracts/errors.ts';
import { toWire } from '#libs/contracts/wire.ts';
import { scriptNames } from './packing.ts';
import type { Wire } from './packing.ts';
import type { RecordForm, RecordStoreOptions, Versioned } from './record-types.ts';
import type { shardKey } from './shard-key.ts';

/** No sweep for this long was an outage of ours (D-11). */
export const outageAfterMs = 30_000;
/** How many records one run of a script reads, or commits it makes: Redis runs for some 10 to 30 us each, and nothing else meanwhile. */
export const mostAtOnce = 100;

/** Options of a store, with the key function of its prefix. */
export interface Store<R> extends RecordStoreOptions<R> {
  readonly key: ReturnType<typeof shardKey>;
}

/** Runs a script on the trusted server; whatever Redis fails with becomes UNAVAILABLE. */
export const guarded = async <T>(
  { trust }: Pick<RecordStoreOptions<never>, 'trust'>,
  work: (server: string) => Promise<T>,
): Promise<T> => {
  try {
    return await work(trust?.server() ?? '');
  } catch (error) {
    if (error instanceof z.ZodError) throw error;
    // Redis 7 puts a code of its own before an error of a script that is one word.
    if (error instanceof Error && /^(ERR )?UNTRUSTED\b/.test(error.message)) trust?.lost();
    throw unavailable(error);
  }
};

/** What a record is refused with that Redis holds in another shape: an error for good, and of this record alone. */
export const unreadable = (): Error => new Error('a record in Redis is no hash');

const versionFirst = <R extends Versioned>({ version, ...others }: R) => ({ version, ...others });

/** What of a record its hash says beside its version and owner; in JSON its version comes first, where who reads the log looks for it. */
const fieldsOf = <R extends Versioned>({ packs, packing }: Store<R>, record: R): string[] => {
  const wire = toWire(versionFirst(record)) as Wire;
  return packs ? packing.pack(wire) : ['json', JSON.stringify(wire)];
};

/** A record as the scripts take it; whether it is packed they see by its first name. */
export const stored = <R extends Versioned>(store: Store<R>, record: R) => {
  const { expires, holdsSeat, lingers, idOf, ownerOf } = store;
  const { version, deadlineAtMs } = record;
  const owner = ownerOf(record);
  const names = store.packs ? scriptNames.packed : scriptNames.json;
  return {
    ...{ id: idOf(record), owner, version, deadline_at_ms: deadlineAtMs },
    fields: [names.version, String(version), names.owner, owner, ...fieldsOf(store, record)],
    live: expires?.(record) ?? false,
    seated: holdsSeat?.(record) ?? false,
    lingers: lingers?.(record) ?? false,
  };
};

/** Names and values that come in turn. */
export const inPairs = (flat: readonly string[]): Record<string, string> => {
  const pairs: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) pairs[flat[at] ?? ''] = flat[at + 1] ?? '';
  return pairs;
};

/** Names and values that come in turn, a line each: only of records whose values have no line breaks. */
export const inLines = (text: string): Record<string, string> => inPairs(text.split('\n'));

/** The wire form of a packed record. */
export const unpacked = (
  { packing, told }: Pick<RecordForm<never>, 'packing' | 'told'>,
  id: string,
  hash: Readonly<Record<string, string>>,
): Wire => ({
  version: Number(hash[scriptNames.packed.version]),
  ...told(id, hash[scriptNames.packed.owner] ?? ''),
  ...packing.unpack(hash),
});

/** The record that a hash is, in either form; undefined for one that does not exist. Throws ZodError. */
export const recordOf = <R>(
  form: RecordForm<R>,
  id: string,
  hash: Readonly<Record<string, string>>,
): R | undefined => {
  const json = hash['json'];
  if (json === undefined && hash[scriptNames.packed.version] === undefined) return undefined;
  return json === undefined
    ? form.parse(unpacked(form, id, hash), 'packed')
    : form.parse(JSON.parse(json), 'json');
};
