import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createSigner, httpbis } from 'http-message-signatures';
import { readSignature, signatureHolds } from '#libs/http/signature.ts';
import type { SignedParts } from '#libs/http/signature.ts';
import { contentDigest, signRequest } from '#simulators/launcher/sign-request.ts';

const secret = randomBytes(32);
/** RFC 9421, B.1.5. */
const rfcSecret = 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==';
const parts: SignedParts = {
  method: 'POST',
  authority: 'gsb.test',
  path: '/v1/session/start',
  body: Buffer.from('{"a":1}'),
};
const claims = { keyId: 'cafe-1.k1', nonce: 'nonce-0123456789', createdSec: 1_700_000_000 };
const signed = signRequest(parts, claims, secret);
const [input, signature] = [signed['Signature-Input'], signed.Signature];

/** Verifies a request, as launcher-gateway does. */
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

  test('blanks that a proxy puts between the components change nothing (RFC 9421, 2.5)', () => {
    expect(accepted({ input: ` ${replaced('"@method" ', '  "@method"   ')} ` })).toBe(true);
  });

  test("the known answer: RFC 9421's shared secret over our four components, as openssl computes it", () => {
    const known: SignedParts = {
      method: 'POST',
      authority: 'example.com',
      path: '/foo',
      body: Buffer.from('{"hello": "world"}'),
    };
    const claims = {
      keyId: 'test-shared-secret',
      nonce: 'b3k2pp5k7z-50gnwp.yemd',
      createdSec: 1_618_884_473,
    };

    expect(signRequest(known, claims, Buffer.from(rfcSecret, 'base64'))).toEqual({
      'Content-Digest': 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
      'Signature-Input':
        'sig1=("@method" "@authority" "@path" "content-digest");created=1618884473;keyid="test-shared-secret";nonce="b3k2pp5k7z-50gnwp.yemd";alg="hmac-sha256"',
      Signature: 'sig1=:vviy8LLLbb2/UuA3z7oMEa5qQkmuPt/1iR8NmT5CTqk=:',
    });
  });

  test.each([
    [['@method', '@authority', '@path', 'content-digest']],
    [['content-digest', '@path', '@authority', '@method']],
  ])("what npm's http-message-signatures signs over %j is accepted", async (fields) => {
    const { headers }: { headers: Record<string, unknown> } = await httpbis.signMessage(
      {
        key: createSigner(secret, 'hmac-sha256', 'cafe-1.k1'),
        name: 'sig1',
        fields,
        params: ['nonce', 'alg', 'keyid', 'created'],
        paramValues: { created: new Date(), nonce: randomUUID() },
      },
      {
        method: parts.method,
        url: `https://${parts.authority}${parts.path}`,
        headers: { 'Content-Digest': contentDigest(parts.body) },
      },
    );

    expect(
      accepted({ input: String(headers['Signature-Input']), signature: String(headers['Signature']) }),
    ).toBe(true);
  });

  test('no text, however strange, makes it throw', () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(input, signature, signed['Content-Digest']),
    );
    const cut = fc.tuple(noise, fc.nat(200), fc.string()).map(([text, at, more]) => text.slice(0, at) + more);
    fc.assert(
      fc.property(cut, cut, cut, (strangeInput, strangeSignature, digest) => {
        accepted({ input: strangeInput, signature: strangeSignature });
        expect(accepted({ digest })).toBe(digest === signed['Content-Digest']);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each<[string, Parameters<typeof accepted>[0]]>([
    ['another case of the method', { parts: { method: 'post' } }],
    ['a port added to the host', { parts: { authority: 'gsb.test:8080' } }],
    ['a slash added to the path', { parts: { path: '/v1/session/start/' } }],
    ['an empty body', { parts: { body: Buffer.alloc(0) } }],
    ['the digest in hexadecimal', { digest: `sha-256="${Buffer.from(parts.body).toString('hex')}"` }],
    ['a digest that was sent twice', { digest: `${signed['Content-Digest']}, ${signed['Content-Digest']}` }],
    ['a digest of no bytes', { digest: 'sha-256=::' }],
    ['an empty secret', { secret: Buffer.alloc(0) }],
    ['a time below zero', { input: replaced('1700000000', '-1') }],
    ['a time too large for a number', { input: replaced('1700000000', '1'.repeat(16)) }],
    ['an empty key id', { input: replaced('cafe-1.k1', '') }],
    ['a key id as a token', { input: replaced('"cafe-1.k1"', 'cafe-1.k1') }],
    ['a nonce as bytes', { input: replaced('"nonce-0123456789"', ':bm9uY2UtMDEyMzQ1Njc4OQ==:') }],
    ['an algorithm as a token', { input: replaced('"hmac-sha256"', 'hmac-sha256') }],
    ['Signature-Input sent twice', { input: `${input}, ${input.replace('cafe-1', 'cafe-2')}` }],
    ['Signature sent twice', { signature: `${signature}, ${signature.replace('sig1', 'sig2')}` }],
    ['a component as a token', { input: replaced('"@path"', '@path') }],
    ['no component', { input: replaced(/\([^)]*\)/, '()') }],
    ['a line break in the input', { input: replaced(' "@path"', '\n"@path"') }],
    ['the signature in base64url', { signature: 'sig1=:-_-_:' }],
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
