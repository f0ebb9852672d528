import { timingSafeEqual } from 'node:crypto';
import { hashApiKey, parseApiKey } from './api-key-format.ts';
import type { GameObject } from './catalog-objects.ts';

interface StoredKey<Owner> {
  readonly hash: Buffer;
  readonly notAfterMs: number;
  readonly owner: Owner;
}

/** Compared with when the short id is unknown, so that an unknown key takes as long as a known one. */
const placeholderHash = Buffer.alloc(32);

/** Why a key is nobody's: it does not have the form of one, nobody has its id, its secret is another one, or its `notAfter` has passed. */
export interface KeyRefusal {
  readonly reason: 'malformed' | 'unknown_key' | 'mismatch' | 'expired';
  /** The id in a key that has the form of one. */
  readonly keyId?: string;
}

/** The keys of one kind of owner, by the short id in their text. */
export const createKeyring = <Owner>() => {
  const keys = new Map<string, StoredKey<Owner>>();
  /** What is stored under a key's id, and whether it is that key: compared in constant time. Undefined for text that has not the form of a key. */
  const look = (key: string) => {
    const keyId = parseApiKey(key)?.shortId;
    if (keyId === undefined) return undefined;
    const stored = keys.get(keyId);
    const isEqual = timingSafeEqual(Buffer.from(hashApiKey(key), 'hex'), stored?.hash ?? placeholderHash);
    return { keyId, stored, isEqual };
  };
  return {
    add: (owner: Owner, { id, sha256, notAfter }: GameObject['spec']['keys'][number]): void => {
      const notAfterMs = notAfter ? Date.parse(notAfter) : Infinity;
      keys.set(id, { hash: Buffer.from(sha256, 'hex'), notAfterMs, owner });
    },
    /** Whose key it is; undefined for one that is malformed, unknown or past its `notAfter`. */
    ownerOf: (key: string, nowMs: number): Owner | undefined => {
      const { stored, isEqual = false } = look(key) ?? {};
      return stored !== undefined && isEqual && nowMs < stored.notAfterMs ? stored.owner : undefined;
    },
    /** Why `ownerOf` knows nobody. Takes as long for an unknown key as for a known one. */
    refusalOf: (key: string): KeyRefusal => {
      const found = look(key);
      if (found === undefined) return { reason: 'malformed' };
      const { keyId, stored, isEqual } = found;
      if (stored === undefined) return { reason: 'unknown_key', keyId };
      return { reason: isEqual ? 'expired' : 'mismatch', keyId };
    },
  };
};

/** Keys, and whose they are. */
export type Keyring<Owner> = ReturnType<typeof createKeyring<Owner>>;
