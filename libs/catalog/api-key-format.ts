import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `gsb_<env>_<short id>_<secret>_<checksum>`; the secret is 32 random bytes in base 62. */
const form = /^(gsb_([a-z]{1,16})_([a-z0-9]{8})_[0-9A-Za-z]{43})_([0-9a-f]{8})$/;

/** The checksum of what stands before it in a key: CRC-32 in hexadecimal. */
export const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** The parts of a key that are not secret, or undefined for text that is not a key: the checksum catches typos without a look-up. */
export const parseApiKey = (text: string): { env: string; shortId: string } | undefined => {
  const [, body = '', env = '', shortId = '', crc] = form.exec(text) ?? [];
  return crc !== undefined && checksum(body) === crc ? { env, shortId } : undefined;
};

/** What is stored instead of a key: the SHA-256 of its text, in hexadecimal. */
export const hashApiKey = (text: string): string => hash('sha256', text);
