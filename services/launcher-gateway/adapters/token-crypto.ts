import { generateKeyPairSync, hash, privateDecrypt, randomBytes, randomUUID } from 'node:crypto';
import { pcIdOf } from '#libs/catalog/pc-keys.ts';
import { inShardOf, shardOfPc } from '#libs/kernel/shards.ts';
import type { Ports } from '../ports.ts';
import { sessionIdsOf, tokenHashOf } from './session-ids.ts';

const prefix = 'gsbl_';
const sha256 = (text: string) => hash('sha256', text);

/** Session tokens, one-time tokens, PC ids, and the key pair with which an ott of an older version encrypts for this process; the private key never leaves it. `packs`: whether ids are packed, as records are (D-57). */
export const cryptoTokens = ({ packs }: { readonly packs: boolean }): Ports['tokens'] => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    replyKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    newToken: (pcId) => {
      const token = prefix + shardOfPc(pcId) + randomBytes(32).toString('base64url');
      const ids = sessionIdsOf(token);
      if (ids === undefined) throw new Error('a new token is none');
      const id = packs ? ids.packed : ids.full;
      return { token, id, tokenHash: tokenHashOf(id) };
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
