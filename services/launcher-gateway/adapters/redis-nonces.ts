import { z } from 'zod';
import type { PresentedSignature } from '#libs/http/signature.ts';
import type { TrustedServer } from '#libs/records/record-types.ts';
import { guarded } from '#libs/records/store-context.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { loadScript } from '#libs/redis/script.ts';

/** Twice the signature's window of 300 s, and a minute for clocks that differ (D-14). */
const keptForMs = 660_000;

const useScript = loadScript({
  file: new URL('./use-nonce.lua', import.meta.url),
  keys: ['nonces_since', 'nonce'],
  args: ['server', 'used_before', 'created_sec', 'kept_ms'],
  answer: z.enum(['fresh', 'replayed', 'perhaps_replayed']),
});

/**
 * Uses up the nonce of a signature. `replayed`: it was used before. `perhaps_replayed`: it was signed before the server of Redis was
 * another one, or was emptied, so that nobody knows. Rejects with UNAVAILABLE when Redis cannot tell, so that no request gets in twice.
 */
export type UseNonce = (
  signature: Pick<PresentedSignature, 'keyId' | 'nonce' | 'createdSec'>,
) => Promise<'fresh' | 'replayed' | 'perhaps_replayed'>;

/** Nonces in Redis, which hold on the server that they were used on (D-44). */
export const redisNonces = (redis: Redis, trust: TrustedServer): UseNonce => {
  let usedBefore = false;
  return async ({ keyId, nonce, createdSec }) => {
    const keys = ['gsb:nonce:{launcher}:since', `gsb:nonce:{launcher}:${keyId}:${nonce}`];
    const outcome = await guarded({ trust }, (server) =>
      useScript(redis, keys, [server, usedBefore ? '1' : '0', createdSec, keptForMs]),
    );
    usedBefore = true;
    return outcome;
  };
};
