import { createPublicKey, hash, publicEncrypt, randomUUID } from 'node:crypto';
import type { Ports } from '../ports.ts';

const sha256 = (text: string) => hash('sha256', text);

/** Hashes, and tokens from the system's randomness, encrypted with RSA-OAEP and SHA-256 for gateways of older versions (D-18). */
export const cryptoTokens: Ports['tokens'] = {
  hash: sha256,
  makeSealed: (replyKey) => {
    const token = randomUUID();
    const key = createPublicKey({ key: Buffer.from(replyKey, 'base64'), format: 'der', type: 'spki' });
    const sealed = publicEncrypt({ key, oaepHash: 'sha256' }, Buffer.from(token));
    return { tokenHash: sha256(token), sealedToken: sealed.toString('base64') };
  },
};
