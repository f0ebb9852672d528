import { createPublicKey, hash, publicEncrypt, randomUUID } from 'node:crypto';
import type { Ports } from '../ports.ts';

/** Tokens from the system's randomness, encrypted with RSA-OAEP and SHA-256, so that no topic and no store holds a token (D-18). */
export const cryptoTokens: Ports['tokens'] = {
  newToken: () => randomUUID(),
  hash: (token) => hash('sha256', token),
  encrypt: (token, replyKey) => {
    const key = createPublicKey({ key: Buffer.from(replyKey, 'base64'), format: 'der', type: 'spki' });
    return publicEncrypt({ key, oaepHash: 'sha256' }, Buffer.from(token)).toString('base64');
  },
};
