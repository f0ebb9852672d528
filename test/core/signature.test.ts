import { randomBytes } from 'node:crypto';
import { contentDigest, readSignature, signRequest, signatureHolds } from '#libs/http/signature.ts';
import type { SignedParts } from '#libs/http/signature.ts';

const secret = randomBytes(32);
const parts: SignedParts = {
  method: 'POST',
  authority: 'gsb.test',
  path: '/v1/session/start',
  body: Buffer.from('{"a":1}'),
};
const claims = { keyId: 'cafe-1.k1', nonce: 'nonce-0123456789', createdSec: 1_700_000_000 };
const signed = signRequest(parts, claims, secret);
const [input, signature] = [signed['Signature-Input'], signed.Signature];

/** Reads and judges a request, as the gateway does. */
const accepted = (request: {
  parts?: Partial<SignedParts>;
  input?: string;
  signature?: string;
  digest?: string;
  secret?: Buffer;
}): boolean => {
  const presented = readSignature(request.input ?? input, request.signature ?? signature);
  const all = { ...parts, ...request.parts };
  return (
    presented !== undefined &&
    signatureHolds(presented, all, request.digest ?? signed['Content-Digest'], request.secret ?? secret)
  );
};

const replaced = (from: string | RegExp, to: string) => input.replace(from, to);

describe('a launcher signature (D-14, RFC 9421)', () => {
  test('what was signed is accepted', () => {
    expect(accepted({})).toBe(true);
  });

  test('the components may stand in another order, if that order was signed', () => {
    const order = '("content-digest" "@path" "@method" "@authority")';
    const presented = readSignature(replaced(/\([^)]*\)/, order), signature);

    expect(presented?.components).toEqual(['content-digest', '@path', '@method', '@authority']);
    expect(accepted({ input: replaced(/\([^)]*\)/, order) })).toBe(false);
  });

  test.each<[string, Parameters<typeof accepted>[0]]>([
    ['another method', { parts: { method: 'PATCH' } }],
    ['another path', { parts: { path: '/v1/ott' } }],
    ['another host', { parts: { authority: 'evil.test' } }],
    ['another body', { parts: { body: Buffer.from('{"a":2}') } }],
    [
      'another body with its own digest',
      { parts: { body: Buffer.from('{"a":2}') }, digest: contentDigest(Buffer.from('{"a":2}')) },
    ],
    ['no digest', { digest: '' }],
    ['a digest of another algorithm', { digest: signed['Content-Digest'].replace('sha-256', 'sha-512') }],
    ['a digest that is no field', { digest: ':::' }],
    ['another secret', { secret: randomBytes(32) }],
    ['another key id', { input: replaced('cafe-1.k1', 'cafe-2.k1') }],
    ['another time', { input: replaced('1700000000', '1700000001') }],
    ['no time', { input: replaced(';created=1700000000', '') }],
    ['a time that is text', { input: replaced('created=1700000000', 'created="1700000000"') }],
    ['a time that is a fraction', { input: replaced('created=1700000000', 'created=1700000000.5') }],
    ['another nonce', { input: replaced('nonce-0123456789', 'nonce-9876543210') }],
    ['no nonce', { input: replaced(';nonce="nonce-0123456789"', '') }],
    ['a short nonce', { input: replaced('nonce-0123456789', 'short') }],
    ['a long nonce', { input: replaced('nonce-0123456789', 'n'.repeat(129)) }],
    ['a nonce with a blank', { input: replaced('nonce-0123456789', 'nonce 0123456789') }],
    ['no key id', { input: replaced(';keyid="cafe-1.k1"', '') }],
    ['no algorithm', { input: replaced(';alg="hmac-sha256"', '') }],
    ['another algorithm', { input: replaced('hmac-sha256', 'rsa-pss-sha512') }],
    ['a parameter that nobody asked for', { input: `${input};tag="x"` }],
    ['another label', { input: replaced('sig1=', 'sig2='), signature: signature.replace('sig1=', 'sig2=') }],
    ['two signatures', { input: `${input}, ${replaced('sig1=', 'sig2=')}` }],
    ['a component less', { input: replaced(' "@path"', '') }],
    ['a component more', { input: replaced('"@path"', '"@path" "date"') }],
    ['a component twice', { input: replaced('"@path"', '"@method"') }],
    ['a component with a parameter', { input: replaced('"@path"', '"@path";req') }],
    ['no list of components', { input: 'sig1=1' }],
    ['nothing', { input: '' }],
    ['noise', { input: '\u0000\u0001(((' }],
    ['no signature', { signature: '' }],
    ['a signature that is text', { signature: 'sig1="x"' }],
    ['a signature that is cut', { signature: signature.replace(/.{8}:$/, ':') }],
    ['an empty signature', { signature: 'sig1=::' }],
  ])('%s is refused, and nothing is thrown', (_, request) => {
    expect(accepted(request)).toBe(false);
  });
});
