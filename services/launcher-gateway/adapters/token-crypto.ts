import { generateKeyPairSync, hash, privateDecrypt, randomBytes, randomUUID } from 'node:crypto';
import { pcIdOf } from '#libs/catalog/pc-keys.ts';
import { inShardOf, shardOfPc } from '#libs/kernel/shards.ts';
import type { Ports } from '../ports.ts';
import { sessionIdsOf, tokenHashOf } from './session-ids.ts';

const prefix = 'gsbl_';
const sha256 = (text: string) => hash('sha256', text);

type Tokens = Ports['tokens'];

/** The key pair with which an ott of an older version encrypts for this process; the private key never leaves it. */
const createSeal = (): NonNullable<Tokens['seal']> => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    replyKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    open: (sealedToken) =>
      privateDecrypt({ key: privateKey, oaepHash: 'sha256' }, Buffer.from(sealedToken, 'base64')).toString(
        'utf8',
      ),
  };
};

interface TokenOptions {
  /** Whether ids are packed, as records are (D-57). */
  readonly packs: boolean;
  /** Whether an ott of an older version may be about, which makes tokens itself. */
  readonly seals: boolean;
}

/** Session tokens, one-time tokens and PC ids. */
export const cryptoTokens = ({ packs, seals }: TokenOptions): Tokens => ({
  seal: seals ? createSeal() : undefined,
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
});
