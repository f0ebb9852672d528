import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The parts of an API key that are not secret. */
export interface ApiKeyName {
  readonly env: string;
  readonly shortId: string;
}

const form = /^(gsb_([a-z]{1,16})_([a-z0-9]{8})_[0-9A-Za-z]{43})_([0-9a-f]{8})$/;
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');

const inBase62 = (bytes: Uint8Array): string => {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 62n) text = (base62[Number(value % 62n)] ?? '') + text;
  return text.padStart(secretLength, '0');
};

/** The text of an API key: `gsb_<env>_<short id>_<secret>_<crc32>`. `secretBytes`: 32 random bytes. */
export const mintApiKey = ({
  env,
  shortId,
  secretBytes,
}: ApiKeyName & { secretBytes: Uint8Array }): string => {
  const body = `gsb_${env}_${shortId}_${inBase62(secretBytes)}`;
  return `${body}_${checksum(body)}`;
};

/** The parts of a key that are not secret, or undefined for text that is not a key: the checksum catches typos without a look-up. */
export const parseApiKey = (text: string): ApiKeyName | undefined => {
  const [, body = '', env = '', shortId = '', crc] = form.exec(text) ?? [];
  return crc !== undefined && checksum(body) === crc ? { env, shortId } : undefined;
};

/** What is stored instead of a key: the SHA-256 of its text, in hexadecimal. */
export const hashApiKey = (text: string): string => createHash('sha256').update(text).digest('hex');
