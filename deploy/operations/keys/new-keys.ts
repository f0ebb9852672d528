import { hashApiKey } from '#libs/catalog/api-key-format.ts';
import { mintApiKey } from './mint-api-key.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const shortIdLength = 8;

/** What an API key is made for. `randomBytes`: 40 bytes, of which 32 become the secret and 8 the short id. */
export interface ApiKeyOrder {
  readonly game: string;
  readonly env: string;
  readonly displayName?: string | undefined;
  /** RFC 3339; the key is refused from this instant on. */
  readonly notAfter?: string | undefined;
  readonly randomBytes: Buffer;
}

/** An API key, to be shown once, and the Game to store, in which only its hash stands. */
export const newApiKey = ({ game, env, displayName = game, notAfter, randomBytes }: ApiKeyOrder) => {
  const id = Array.from(
    randomBytes.subarray(0, shortIdLength),
    (byte) => letters[byte % letters.length],
  ).join('');
  const key = mintApiKey({ env, shortId: id, secretBytes: randomBytes.subarray(shortIdLength) });
  const entry = { id, sha256: hashApiKey(key), ...(notAfter !== undefined && { notAfter }) };
  const stored = {
    apiVersion: 'gsb.dev/v1' as const,
    kind: 'Game' as const,
    metadata: { name: game },
    spec: { displayName, keys: [entry] },
  };
  return { key, stored };
};

/** A cafe's launcher key, as the Secret to store; its name is the key id that launchers sign with. `secretBytes`: 32 random bytes. */
export const newLauncherKey = ({
  cafe,
  name,
  secretBytes,
}: {
  cafe: string;
  name: string;
  secretBytes: Buffer;
}) => ({
  apiVersion: 'v1' as const,
  kind: 'Secret' as const,
  metadata: {
    name: `${cafe}.${name}`.toLowerCase().replaceAll('_', '-'),
    labels: { 'gsb.dev/launcher-key': 'true' as const },
  },
  stringData: { cafe_id: cafe, secret: secretBytes.toString('base64') },
});
