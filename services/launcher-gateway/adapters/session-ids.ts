import { hash } from 'node:crypto';

const tokenPattern = /^gsbl_([0-9a-f])[0-9A-Za-z_-]{43}$/;
/**
 * 112 bits of a SHA-256, in hexadecimal: nobody finds a second token for it, and with more the key in Redis takes 16 bytes more. Of the first 22
 * digits the session's UUID is made, before its pin: they are the same in either id.
 */
const shortDigits = 28;
const hashDigits = 64;

/** The ids that a session may have: the shard of its PC, and the SHA-256 of its token, in full or packed (D-57). */
export interface SessionIds {
  readonly full: string;
  readonly packed: string;
}

/** The ids of the session that a bearer token belongs to; undefined for text that is no token. */
export const sessionIdsOf = (token: string): SessionIds | undefined => {
  const shard = tokenPattern.exec(token)?.[1];
  if (shard === undefined) return undefined;
  const tokenHash = hash('sha256', token);
  const some = Buffer.from(tokenHash.slice(0, shortDigits), 'hex');
  return { full: shard + tokenHash, packed: shard + some.toString('base64url') };
};

/** The hash that an id tells; of a packed one its beginning, and zeros: nobody compares it, and versions before want it whole. */
export const tokenHashOf = (id: string): string => {
  const digits = id.slice(1);
  if (digits.length === hashDigits) return digits;
  return Buffer.from(digits, 'base64url').toString('hex').padEnd(hashDigits, '0');
};
