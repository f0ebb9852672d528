/** After so many settings, or as many as there are entries where those are more, an iterator that has not gone on begins anew. */
const settingsOfOne = 512;

interface Options {
  /** So many entries at most: the oldest goes as one more comes. */
  readonly most?: number;
}

/**
 * A map in the order in which its entries were last set, which tells its oldest one at once. V8 leaves a hole in a Map's table where an entry was,
 * until it makes the table anew: who asks a Map of 100,000 for its first key while the oldest go steps over tens of thousands of holes each time
 * (D-64). Here one iterator goes on from where it stood; it begins anew now and then, because it keeps every table that the map has outgrown
 * meanwhile.
 */
export class AgeingMap<K extends string, V> {
  readonly #entries = new Map<K, V>();
  readonly #most: number;
  /** What comes after the oldest entry that was asked for. */
  #later: MapIterator<[K, V]> | undefined;
  #oldest: readonly [K, V] | undefined;
  /** How many entries were set since the iterator last went on. */
  #settings = 0;

  constructor({ most = Infinity }: Options = {}) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** It is the newest then, also where it was there already. */
  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#settings += 1;
    if (this.#settings > Math.max(settingsOfOne, this.size)) this.#later = undefined;
    const oldest = this.size > this.#most ? this.oldest() : undefined;
    if (oldest) this.delete(oldest[0]);
  }

  /** Whether it was there. */
  delete(key: K): boolean {
    if (this.#oldest?.[0] === key) this.#oldest = undefined;
    const wasThere = this.#entries.delete(key);
    if (this.size === 0) this.#later = undefined;
    return wasThere;
  }

  /** The entry that was set first of those that are there. */
  oldest(): readonly [key: K, value: V] | undefined {
    this.#oldest ??= this.#next();
    return this.#oldest;
  }

  /** All entries come later than those that the iterator has passed. It ends in an empty map alone, where the next one to be set begins anew. */
  #next(): readonly [K, V] | undefined {
    this.#settings = 0;
    this.#later ??= this.#entries.entries();
    return this.#later.next().value;
  }
}
