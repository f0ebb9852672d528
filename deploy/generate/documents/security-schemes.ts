import type { Auth } from '#libs/contracts/endpoint.ts';
import type { Json } from './schema.ts';

const header = (name: string, description: string): Json => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
});

const signature = {
  Signature: header(
    'Signature',
    'RFC 9421, label sig1: `sig1=:…:`, hmac-sha256 with the launcher key over @method, @authority, @path and content-digest (D-14).',
  ),
  'Signature-Input': header(
    'Signature-Input',
    'RFC 9421: `sig1=("@method" "@authority" "@path" "content-digest");created=1795165200;keyid="cafe-seoul-01.k1";nonce="8 to 128 visible characters";alg="hmac-sha256"`. `created` may differ from the server clock by up to 300 s; a nonce is accepted once.',
  ),
  'Content-Digest': header(
    'Content-Digest',
    'RFC 9530: `sha-256=:…:`, the SHA-256 of the body as sent, in base64.',
  ),
};

/** The security schemes of each kind of authentication; all schemes of one kind are required together (spec 5, D-13, D-14). */
export const schemesOf: Record<Auth, Record<string, Json>> = {
  'api-key': {
    'X-Api-Key': header('X-Api-Key', 'The API key of the game (spec 5). Never put it into a game client.'),
  },
  signature,
  'session-token': {
    Bearer: { type: 'http', scheme: 'bearer', description: 'The session_token of session start (D-13).' },
  },
  'operator-key': {
    Bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The key of an operator with the role `statements:read` (D-40).',
    },
  },
  none: {},
};

/** The security requirement of an operation. */
export const securityOf = (auth: Auth): Json[] => [
  Object.fromEntries(Object.keys(schemesOf[auth]).map((name) => [name, []])),
];
