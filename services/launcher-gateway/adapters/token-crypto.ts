import { createHash, generateKeyPairSync, privateDecrypt, randomBytes } from 'node:crypto';
import { shardOfPc } from '#libs/kernel/shards.ts';
import type { Ports } from '../ports.ts';

const prefix = 'gsbl_';
const form = /^gsbl_([0-9a-f])[0-9A-Za-z_-]{43}$/;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Where the session of a bearer token is stored, or undefined for text that is no token. */
export const storedUnder = (token: string): string | undefined => {
  const shard = form.exec(token)?.[1];
  return shard === undefined ? undefined : shard + sha256(token);
};

/** Session tokens, PC ids and the key pair that one-time tokens are sealed for; the private key never leaves this process (D-18). */
export const cryptoTokens = (): Ports['tokens'] => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    replyKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    fresh: (pcId) => {
      const token = prefix + shardOfPc(pcId) + randomBytes(32).toString('base64url');
      const tokenHash = sha256(token);
      return { token, tokenHash, id: shardOfPc(pcId) + tokenHash };
    },
    pcId: (cafeId, machineId) => `pc_${sha256(`${cafeId}\n${machineId}`).slice(0, 32)}`,
    open: (sealed) =>
      privateDecrypt({ key: privateKey, oaepHash: 'sha256' }, Buffer.from(sealed, 'base64')).toString('utf8'),
  };
};
