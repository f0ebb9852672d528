import { createHash } from 'node:crypto';
import { computeSignature, covered } from '#libs/http/signature.ts';
import type { SignatureClaims, SignedParts } from '#libs/http/signature.ts';

/** The Content-Digest header of a body (RFC 9530). */
export const contentDigest = (body: Buffer): string =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

/** Signs a request (D-14). Returns the three headers to send with it. */
export const signRequest = (parts: SignedParts, claims: SignatureClaims, secret: Buffer) => {
  const digest = contentDigest(parts.body);
  const { createdSec, keyId, nonce } = claims;
  const names = covered.map((name) => `"${name}"`).join(' ');
  const input = `(${names});created=${createdSec};keyid="${keyId}";nonce="${nonce}";alg="hmac-sha256"`;
  const signature = computeSignature(parts, digest, { components: covered, input }, secret);
  return {
    'Content-Digest': digest,
    'Signature-Input': `sig1=${input}`,
    Signature: `sig1=:${signature.toString('base64')}:`,
  };
};
