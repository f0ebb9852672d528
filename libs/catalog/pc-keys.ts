import { createSecretKey, hash, hkdfSync } from 'node:crypto';
import { maxKeyIdLength } from '#libs/contracts/fields.ts';

const separator = ':';

/** The id of a PC: a digest of its cafe and machine id. */
export const pcIdOf = (cafeId: string, machineId: string): string =>
  `pc_${hash('sha256', `${cafeId}\n${machineId}`).slice(0, 32)}`;

/** The key of one PC, derived from its cafe's key (D-48): HKDF with SHA-256 (RFC 5869), from which the cafe's key cannot be told. With a key object it takes 8 µs instead of 13. */
export const derivePcSecret = (cafeSecret: Buffer, pcId: string): Buffer =>
  Buffer.from(hkdfSync('sha256', createSecretKey(cafeSecret), '', `gsb launcher key of ${pcId}`, 32));

/** The key id that a PC signs with: that of its cafe's key, and its own id. */
export const pcKeyId = (keyId: string, pcId: string): string => keyId + separator + pcId;

const charactersOfPc = pcKeyId('', pcIdOf('', '')).length;

/** The most characters of the id of a cafe's key: one of a PC's key, which is longer, has to fit into a signature too. */
export const maxCafeKeyIdLength = maxKeyIdLength - charactersOfPc;

/** What is said of the id of a cafe's key that is longer. */
export const cafeKeyIdTooLong = `must be at most ${maxCafeKeyIdLength} characters, so that a key of a single PC, whose id has ${charactersOfPc} more, can sign`;

/** The id of the cafe's key in a key id, and the PC whose derived key it names; undefined where it is the cafe's key itself. */
export const splitKeyId = (presented: string): { keyId: string; pcId: string | undefined } => {
  const at = presented.indexOf(separator);
  return at < 0
    ? { keyId: presented, pcId: undefined }
    : { keyId: presented.slice(0, at), pcId: presented.slice(at + separator.length) };
};
