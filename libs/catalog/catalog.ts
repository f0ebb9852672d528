import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '#libs/kernel/clock.ts';
import { hashApiKey, parseApiKey } from './api-key-format.ts';
import type { CatalogObject } from './catalog-objects.ts';

/** A game, as services see it. */
export interface Game {
  readonly gameId: string;
  readonly name: string;
  readonly outagePolicy: 'continue' | 'refuse';
}

/** A cafe's key for signing launcher requests. */
export interface LauncherKey {
  readonly cafeId: string;
  readonly secret: Buffer;
}

/** The current games and keys; the next call sees a change. */
export interface Catalog {
  games(): readonly Game[];
  game(gameId: string): Game | undefined;
  /** The game of an API key; undefined for one that is malformed, unknown or past its `notAfter`. Hashes are compared in constant time. */
  gameOfKey(key: string): Game | undefined;
  launcherKey(keyId: string): LauncherKey | undefined;
}

interface StoredKey {
  readonly hash: Buffer;
  readonly notAfterMs: number;
  readonly game: Game;
}

/** Compared with when the short id is unknown, so that an unknown key takes as long as a known one. */
const placeholderHash = Buffer.alloc(32);

const buildIndex = (objects: readonly CatalogObject[]) => {
  const games = new Map<string, Game>();
  const keys = new Map<string, StoredKey>();
  const launcherKeys = new Map<string, LauncherKey>();
  for (const object of objects) {
    if (object.kind === 'Secret') {
      const { cafe_id: cafeId, secret } = object.stringData;
      launcherKeys.set(object.metadata.name, { cafeId, secret: Buffer.from(secret, 'base64') });
      continue;
    }
    const { displayName: name, outagePolicy } = object.spec;
    const game = { gameId: object.metadata.name, name, outagePolicy };
    games.set(game.gameId, game);
    for (const { id, sha256, notAfter } of object.spec.keys) {
      keys.set(id, {
        hash: Buffer.from(sha256, 'hex'),
        notAfterMs: notAfter ? Date.parse(notAfter) : Infinity,
        game,
      });
    }
  }
  return { games, keys, launcherKeys };
};

/** A catalog of what `objects()` returns; the index is rebuilt when it returns another list. `clock`: to expire keys. */
export const createCatalog = (objects: () => readonly CatalogObject[], clock: Clock): Catalog => {
  let indexedObjects = objects();
  let index = buildIndex(indexedObjects);
  const current = () => {
    if (objects() !== indexedObjects) index = buildIndex((indexedObjects = objects()));
    return index;
  };
  return {
    games: () => [...current().games.values()],
    game: (gameId) => current().games.get(gameId),
    gameOfKey: (key) => {
      const name = parseApiKey(key);
      if (name === undefined) return undefined;
      const stored = current().keys.get(name.shortId);
      const isEqual = timingSafeEqual(Buffer.from(hashApiKey(key), 'hex'), stored?.hash ?? placeholderHash);
      return stored !== undefined && isEqual && clock() < stored.notAfterMs ? stored.game : undefined;
    },
    launcherKey: (keyId) => current().launcherKeys.get(keyId),
  };
};
