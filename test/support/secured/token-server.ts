import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const keyId = 'k1';
const issuer = 'https://tokens.test';
const audience = 'kafka';
const lifeSec = 300;
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * An authorization server of OAuth 2.0 with one grant, that of clients: each has an id and a secret. `jwksFile` has its public key, by which the
 * broker believes its tokens.
 */
export const startTokenServer = async (clients: ReadonlyMap<string, string>, jwksFile: string) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const key = { ...jwk, kid: keyId, alg: 'RS256', use: 'sig' };
  writeFileSync(jwksFile, JSON.stringify({ keys: [key] }));
  const tokenOf = (id: string): string => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { sub: id, iss: issuer, aud: audience, iat: now, exp: now + lifeSec, scope: 'play' };
    const signed = `${encoded({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${encoded(claims)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  let asked = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked += 1;
      const basic = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64');
      const [id = '', secret] = basic.toString().split(':').map(decodeURIComponent);
      const grant = new URLSearchParams(body).get('grant_type');
      const known = clients.has(id) && clients.get(id) === secret && grant === 'client_credentials';
      const answer = known ? { access_token: tokenOf(id), expires_in: lifeSec } : { error: 'invalid_client' };
      response.writeHead(known ? 200 : 401, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    issuer,
    audience,
    /** How often somebody asked for a token. */
    asked: () => asked,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

/** A running one. */
export type TokenServer = Awaited<ReturnType<typeof startTokenServer>>;
