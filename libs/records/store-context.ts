import { z } from 'zod';
import { unavailable } from '#libs/contracts/errors.ts';
import { toWire } from '#libs/contracts/wire.ts';
import type { RecordStoreOptions, Versioned } from './record-types.ts';
import type { shardKey } from './shard-key.ts';

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
    if (error instanceof Error && error.message.startsWith('UNTRUSTED')) trust?.lost();
    throw unavailable(error);
  }
};

const versionFirst = <R extends Versioned>({ version, ...others }: R) => ({ version, ...others });

/** A record as the scripts take it; its version comes first, where who reads the log looks for it. */
export const stored = <R extends Versioned>({ expires }: Store<R>, record: R) => ({
  version: record.version,
  json: JSON.stringify(toWire(versionFirst(record))),
  deadline_at_ms: record.deadlineAtMs,
  live: expires?.(record) ?? false,
});
