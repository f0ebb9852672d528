import { hash } from 'node:crypto';
import { z } from 'zod';
import type { PresentedSignature } from '#libs/http/signature.ts';
import type { TrustedServer } from '#libs/records/record-types.ts';
import { guarded } from '#libs/records/store-context.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { loadScript } from '#libs/redis/script.ts';

/** Twice the signature's window of 300 s (D-14), and the five minutes by which the clocks of two replicas may differ (D-35). */
const keptForMs = 900_000;

const useScript = loadScript({
  file: new URL('./use-nonce.lua', import.meta.url),
  keys: ['nonces_since', 'name', 'even', 'odd'],
  args: ['server', 'used_before', 'created_sec', 'kept_ms', 'member', 'packs'],
  answer: z.enum(['fresh', 'replayed', 'perhaps_replayed']),
});

/**
 * Uses up the nonce of a signature. `replayed`: it was used before. `perhaps_replayed`: it was signed before the server of Redis was
 * another one, or was emptied, so that nobody knows. Rejects with UNAVAILABLE when Redis cannot tell, so that no request gets in twice.
 */
export type UseNonce = (
  signature: Pick<PresentedSignature, 'keyId' | 'nonce' | 'createdSec'>,
) => Promise<'fresh' | 'replayed' | 'perhaps_replayed'>;

/** The nonces of signatures. */
export interface Nonces {
  readonly use: UseNonce;
  /** Notes since when the server is this one, also while nobody signs: what is signed after that is surely new. Resolves to the work that is left: none. */
  noteServer(): Promise<0>;
  /** The server has what it had when it was a primary before: from now on it is another one. */
  forgetServer(): Promise<void>;
}

interface Options {
  /** Whether nonces are packed, as records are (D-57). */
  readonly packs: boolean;
}

/**
 * So many pairs of hashes share all nonces. Redis keeps a hash of up to 512 members in one piece, which is enough for 580 starts a second;
 * what has more takes three times as much for each.
 */
const pairs = 1_024;
/** So many bytes of a nonce's SHA-256: of 10^16 starts one is refused for the nonce of another. */
const bytesOfMember = 8;

/** Where a nonce is noted, and looked for. */
const placesOf = (name: string) => {
  const digest = hash('sha256', name, 'buffer');
  const at = digest.readUInt16BE(digest.length - 2) % pairs;
  const names = [name, `${at}:0`, `${at}:1`];
  return {
    keys: names.map((each) => `gsb:nonce:{launcher}:${each}`),
    member: digest.toString('base64url', 0, bytesOfMember),
  };
};

const sinceKey = 'gsb:nonce:{launcher}:since';

/** Nonces in Redis, which hold on the server that they were used on (D-44). */
export const redisNonces = (redis: Redis, trust: TrustedServer, { packs }: Options): Nonces => {
  let usedBefore = false;
  const run = async (name: string, createdSec: number) => {
    const { keys, member } = placesOf(name);
    const outcome = await guarded({ trust }, (server) => {
      const args = [server, usedBefore ? '1' : '0', createdSec, keptForMs, member, packs ? '1' : '0'];
      return useScript(redis, [sinceKey, ...keys], args);
    });
    usedBefore = true;
    return outcome;
  };
  return {
    use: ({ keyId, nonce, createdSec }) => run(`${keyId}:${nonce}`, createdSec),
    noteServer: async () => {
      // What was signed in 1970 is before every server, and so uses up nothing. While Redis is away it is noted later.
      await run('none', 0).catch(() => undefined);
      return 0;
    },
    forgetServer: async () => {
      await redis.hset(sinceKey, 'server', '');
    },
  };
};
