import { generateKeyPairSync, hash, privateDecrypt, randomBytes, randomUUID } from 'node:crypto';
import { pcIdOf } from '#libs/catalog/pc-keys.ts';
import { inShardOf, shardOfPc } from '#libs/kernel/shards.ts';
import type { Ports } from '../ports.ts';

const prefix = 'gsbl_';
const tokenPattern = /^gsbl_([0-9a-f])[0-9A-Za-z_-]{43}$/;
const sha256 = (text: string) => hash('sha256', text);

/** The id of the session that a bearer token belongs to; undefined for text that is no token. */
export const sessionIdOf = (token: string): string | undefined => {
  const shard = tokenPattern.exec(token)?.[1];
  return shard === undefined ? undefined : shard + sha256(token);
};

/** Session tokens, one-time tokens, PC ids, and the key pair with which an ott of an older version encrypts for this process; the private key never leaves it. */
export const cryptoTokens = (): Ports['tokens'] => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    replyKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    newToken: (pcId) => {
      const token = prefix + shardOfPc(pcId) + randomBytes(32).toString('base64url');
      const tokenHash = sha256(token);
      return { token, tokenHash, id: shardOfPc(pcId) + tokenHash };
    },
    newOtt: (pcId) =>
      inShardOf(pcId, () => {
        const ott = randomUUID();
        return { ott, tokenHash: sha256(ott) };
      }),
    pcId: pcIdOf,
    decrypt: (sealedToken) =>
      privateDecrypt({ key: privateKey, oaepHash: 'sha256' }, Buffer.from(sealedToken, 'base64')).toString(
        'utf8',
      ),
  };
};
