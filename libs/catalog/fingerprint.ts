import { hash } from 'node:crypto';

/** Few digits of a digest: enough to tell a key from the one that took its place, and of no use to whoever looks for the key. */
export const fingerprintOf = (secret: string): string => hash('sha256', secret).slice(0, 12);
