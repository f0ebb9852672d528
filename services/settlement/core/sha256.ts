import { createHash } from 'node:crypto';
import type { Digest } from '../ports.ts';

/** A SHA-256, piece by piece. */
export const newDigest = (): Digest => {
  const hash = createHash('sha256');
  return { update: (text) => void hash.update(text), end: () => hash.digest('hex') };
};
