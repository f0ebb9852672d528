import { createHash, randomUUID } from 'node:crypto';
import { createSigner, httpbis } from 'http-message-signatures';

/** Whose key signs, and what is said of the signature. */
export interface NpmSigning {
  readonly url: string;
  readonly method: string;
  readonly body: string;
  readonly keyId: string;
  readonly secret: Buffer;
  readonly nonce?: string;
  readonly created?: Date;
}

/** The headers of a request that npm's http-message-signatures has signed: a launcher that nobody here wrote. */
export const npmSigned = async ({ url, method, body, keyId, secret, ...claims }: NpmSigning) => {
  const digest = createHash('sha256').update(body).digest('base64');
  const { headers }: { headers: Record<string, unknown> } = await httpbis.signMessage(
    {
      key: createSigner(secret, 'hmac-sha256', keyId),
      name: 'sig1',
      fields: ['@method', '@authority', '@path', 'content-digest'],
      params: ['created', 'keyid', 'nonce', 'alg'],
      paramValues: { created: claims.created ?? new Date(), nonce: claims.nonce ?? randomUUID() },
    },
    { method, url, headers: { 'Content-Digest': `sha-256=:${digest}:` } },
  );
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { ...Object.fromEntries(texts), 'Content-Type': 'application/json' } as Record<string, string>;
};
