import { hashApiKey } from '#libs/catalog/api-key-format.ts';
import type { OperatorRole } from '#libs/contracts/operators.ts';
import { mintApiKey } from './mint-api-key.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const shortIdLength = 8;

/** What every key of a game or an operator is made of. `randomBytes`: 40 bytes, of which 32 become the secret and 8 the short id. */
interface KeyOrder {
  readonly env: string;
  /** RFC 3339; the key is refused from this instant on. */
  readonly notAfter?: string | undefined;
  readonly randomBytes: Buffer;
}

/** What an API key is made for. */
export interface ApiKeyOrder extends KeyOrder {
  readonly game: string;
  readonly displayName?: string | undefined;
}

/** Who an operator's key is made for. */
export interface OperatorKeyOrder extends KeyOrder {
  readonly name: string;
  readonly roles: readonly OperatorRole[];
  readonly cafes?: readonly string[] | undefined;
  readonly games?: readonly string[] | undefined;
}

/** A key, and its entry of spec.keys, in which only its hash stands. */
const newKey = ({ env, notAfter, randomBytes }: KeyOrder) => {
  const id = Array.from(
    randomBytes.subarray(0, shortIdLength),
    (byte) => letters[byte % letters.length],
  ).join('');
  const key = mintApiKey({ env, shortId: id, secretBytes: randomBytes.subarray(shortIdLength) });
  return { key, entry: { id, sha256: hashApiKey(key), ...(notAfter !== undefined && { notAfter }) } };
};

/** An API key, to be shown once, and the Game to store, in which only its hash stands. */
export const newApiKey = ({ game, displayName = game, ...order }: ApiKeyOrder) => {
  const { key, entry } = newKey(order);
  const stored = {
    apiVersion: 'gsb.dev/v1' as const,
    kind: 'Game' as const,
    metadata: { name: game },
    spec: { displayName, keys: [entry] },
  };
  return { key, stored };
};

/** An operator's key, to be shown once, and the Operator to store, in which only its hash stands (D-40). */
export const newOperatorKey = ({ name, roles, cafes, games, ...order }: OperatorKeyOrder) => {
  const { key, entry } = newKey(order);
  const reach = { ...(cafes && { cafes: [...cafes] }), ...(games && { games: [...games] }) };
  const stored = {
    apiVersion: 'gsb.dev/v1' as const,
    kind: 'Operator' as const,
    metadata: { name },
    spec: { roles: [...roles], ...reach, keys: [entry] },
  };
  return { key, stored };
};

/** What a launcher key is made for. `secretBytes`: 32 random bytes. */
export interface LauncherKeyOrder {
  readonly cafe: string;
  readonly name: string;
  /** How many PCs the cafe has, as text. */
  readonly pcs?: string | undefined;
  /** Whether launchers may sign with it; `refused`: only with keys of single PCs (D-48). */
  readonly shared?: 'allowed' | 'refused' | undefined;
  readonly secretBytes: Buffer;
}

/** A cafe's launcher key, as the Secret to store; its name is the key id that launchers sign with. */
export const newLauncherKey = ({ cafe, name, pcs, shared, secretBytes }: LauncherKeyOrder) => ({
  apiVersion: 'v1' as const,
  kind: 'Secret' as const,
  metadata: {
    name: `${cafe}.${name}`.toLowerCase().replaceAll('_', '-'),
    labels: { 'gsb.dev/launcher-key': 'true' as const },
  },
  stringData: {
    cafe_id: cafe,
    secret: secretBytes.toString('base64'),
    ...(pcs !== undefined && { pcs }),
    ...(shared !== undefined && { shared }),
  },
});
