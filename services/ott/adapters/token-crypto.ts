import { createPublicKey, hash, publicEncrypt, randomUUID } from 'node:crypto';
import { inShardOf } from '#libs/kernel/shards.ts';
import type { Ports } from '../ports.ts';

const sha256 = (text: string) => hash('sha256', text);

/** Hashes, and tokens from the system's randomness, encrypted with RSA-OAEP and SHA-256 for gateways of older versions (D-18). */
export const cryptoTokens: Ports['tokens'] = {
  hash: sha256,
  makeSealed: (replyKey, pcId) => {
    const { token, tokenHash } = inShardOf(pcId, () => {
      const made = randomUUID();
      return { token: made, tokenHash: sha256(made) };
    });
    const key = createPublicKey({ key: Buffer.from(replyKey, 'base64'), format: 'der', type: 'spki' });
    const sealed = publicEncrypt({ key, oaepHash: 'sha256' }, Buffer.from(token));
    return { tokenHash, sealedToken: sealed.toString('base64') };
  },
};
