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

/** The keys of one kind of owner, by the short id in their text. */
export const createKeyring = <Owner>() => {
  const keys = new Map<string, StoredKey<Owner>>();
  return {
    add: (owner: Owner, added: GameObject['spec']['keys']): void => {
      for (const { id, sha256, notAfter } of added) {
        const notAfterMs = notAfter ? Date.parse(notAfter) : Infinity;
        keys.set(id, { hash: Buffer.from(sha256, 'hex'), notAfterMs, owner });
      }
    },
    /** Whose key it is; undefined for one that is malformed, unknown or past its `notAfter`. Hashes are compared in constant time. */
    ownerOf: (key: string, nowMs: number): Owner | undefined => {
      const name = parseApiKey(key);
      if (name === undefined) return undefined;
      const stored = keys.get(name.shortId);
      const isEqual = timingSafeEqual(Buffer.from(hashApiKey(key), 'hex'), stored?.hash ?? placeholderHash);
      return stored !== undefined && isEqual && nowMs < stored.notAfterMs ? stored.owner : undefined;
    },
  };
};
