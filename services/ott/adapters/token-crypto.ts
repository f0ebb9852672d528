import { createHash, createPublicKey, publicEncrypt, randomUUID } from 'node:crypto';
import type { Ports } from '../ports.ts';

/** Tokens from the system's randomness; sealed with RSA-OAEP, so that a token stands on no topic (D-18). */
export const cryptoTokens: Ports['tokens'] = {
  fresh: () => randomUUID(),
  hash: (token) => createHash('sha256').update(token).digest('hex'),
  seal: (token, replyKey) => {
    const key = createPublicKey({ key: Buffer.from(replyKey, 'base64'), format: 'der', type: 'spki' });
    return publicEncrypt({ key, oaepHash: 'sha256' }, Buffer.from(token)).toString('base64');
  },
};
