import { createHash, hash } from 'node:crypto';

/** A SHA-256 of a text that comes in pieces. */
export const createSha256 = () => createHash('sha256');

/** SHA-256 of a text, in hexadecimal. */
export const sha256 = (text: string): string => hash('sha256', text);
