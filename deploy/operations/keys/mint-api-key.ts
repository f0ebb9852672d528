import { checksum } from '#libs/catalog/api-key-format.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;

const inBase62 = (bytes: Uint8Array): string => {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 62n) text = (base62[Number(value % 62n)] ?? '') + text;
  return text.padStart(secretLength, '0');
};

/** The text of an API key: `gsb_<env>_<short id>_<secret>_<crc32>`. `secretBytes`: 32 random bytes. */
export const mintApiKey = (key: { env: string; shortId: string; secretBytes: Uint8Array }): string => {
  const body = `gsb_${key.env}_${key.shortId}_${inBase62(key.secretBytes)}`;
  return `${body}_${checksum(body)}`;
};
