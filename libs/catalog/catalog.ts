import type { Clock } from '#libs/kernel/clock.ts';
import type { OperatorRole } from '#libs/contracts/operators.ts';
import { fingerprintOf } from './fingerprint.ts';
import { createKeyring } from './keyring.ts';
import type { KeyRefusal, Keyring } from './keyring.ts';
import type { CatalogObject } from './catalog-objects.ts';

/** A game, as services see it. */
export interface Game {
  readonly gameId: string;
  readonly name: string;
  readonly outagePolicy: 'continue' | 'refuse';
}

/** A game and the id of the key that named it, which is not secret. */
export type PlayedGame = Game & { readonly keyId: string };

/** A cafe's key for signing launcher requests. */
export interface LauncherKey {
  readonly cafeId: string;
  readonly secret: Buffer;
  /** Tells this secret from another under the same key id, and says nothing of either. */
  readonly fingerprint: string;
  /** How many PCs the cafe has, where that is configured. */
  readonly pcs?: number | undefined;
  /** Whether it may sign itself; otherwise only the keys of single PCs that are derived from it may (D-48). */
  readonly isShared: boolean;
}

/** Who may read the ledger or run commands. `cafes`, `games`: the statements that it may read; all where undefined (D-40). */
export interface Operator {
  readonly name: string;
  readonly roles: readonly OperatorRole[];
  readonly cafes?: readonly string[] | undefined;
  readonly games?: readonly string[] | undefined;
}

/** The current games, keys and operators; the next call sees a change. */
export interface Catalog {
  games(): readonly Game[];
  game(gameId: string): Game | undefined;
  /** The game of an API key; undefined for one that is malformed, unknown or past its `notAfter`. */
  gameOfKey(key: string): PlayedGame | undefined;
  /** Why `gameOfKey` knows no game. */
  refusalOf(key: string): KeyRefusal;
  launcherKey(keyId: string): LauncherKey | undefined;
  /** A signature with this launcher key was right. */
  markUsed(keyId: string): void;
  /** When a key was right for the last time in this process. */
  lastUsedMs(keyId: string): number | undefined;
  /** As `gameOfKey`; a game's key is no operator's, and the other way round. */
  operatorOfKey(key: string): Operator | undefined;
  /** Why `operatorOfKey` knows nobody. */
  operatorRefusalOf(key: string): KeyRefusal;
}

/** The id of the key that named its owner. */
interface OfKey {
  readonly keyId: string;
}

const emptyIndex = () => ({
  games: new Map<string, Game>(),
  gameKeys: createKeyring<PlayedGame>(),
  launcherKeys: new Map<string, LauncherKey>(),
  operatorKeys: createKeyring<OfKey & { readonly operator: Operator }>(),
});

const add = (index: ReturnType<typeof emptyIndex>, object: CatalogObject): void => {
  const { name } = object.metadata;
  switch (object.kind) {
    case 'Secret': {
      const { cafe_id: cafeId, secret, pcs, shared = 'allowed' } = object.stringData;
      index.launcherKeys.set(name, {
        ...{ cafeId, secret: Buffer.from(secret, 'base64'), fingerprint: fingerprintOf(secret) },
        pcs: pcs === undefined ? undefined : Number(pcs),
        isShared: shared === 'allowed',
      });
      break;
    }
    case 'Operator': {
      const { keys, ...rights } = object.spec;
      const operator = { name, ...rights };
      for (const key of keys) index.operatorKeys.add({ operator, keyId: key.id }, key);
      break;
    }
    case 'Game': {
      const { displayName, outagePolicy, keys } = object.spec;
      const game = { gameId: name, name: displayName, outagePolicy };
      index.games.set(name, game);
      for (const key of keys) index.gameKeys.add({ ...game, keyId: key.id }, key);
    }
  }
};

const buildIndex = (objects: readonly CatalogObject[]) => {
  const index = emptyIndex();
  for (const object of objects) add(index, object);
  return index;
};

/** A catalog of what `objects()` returns; the index is rebuilt when it returns another list. `clock`: to expire keys. */
export const createCatalog = (objects: () => readonly CatalogObject[], clock: Clock): Catalog => {
  let indexedObjects = objects();
  let index = buildIndex(indexedObjects);
  const uses = new Map<string, number>();
  const current = () => {
    if (objects() !== indexedObjects) index = buildIndex((indexedObjects = objects()));
    return index;
  };
  const ownerOf = <Owner extends OfKey>(keyring: Keyring<Owner>, key: string): Owner | undefined => {
    const nowMs = clock();
    const owner = keyring.ownerOf(key, nowMs);
    if (owner !== undefined) uses.set(owner.keyId, nowMs);
    return owner;
  };
  return {
    games: () => [...current().games.values()],
    game: (gameId) => current().games.get(gameId),
    gameOfKey: (key) => ownerOf(current().gameKeys, key),
    refusalOf: (key) => current().gameKeys.refusalOf(key),
    launcherKey: (keyId) => current().launcherKeys.get(keyId),
    markUsed: (keyId) => void uses.set(keyId, clock()),
    lastUsedMs: (keyId) => uses.get(keyId),
    operatorOfKey: (key) => ownerOf(current().operatorKeys, key)?.operator,
    operatorRefusalOf: (key) => current().operatorKeys.refusalOf(key),
  };
};
