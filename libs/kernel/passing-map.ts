/** After so many settings, or as many as there are keys where those are more, a map begins anew. */
const settingsOfOne = 64;

/**
 * A map for what requests and messages bring and take with them. V8's Map and Set leave each table that they have outgrown linked to the next
 * one, for iterators, with what it held: once one table is old, what the later ones hold is kept alive by it after it has gone, becomes old, and
 * is collected with the old objects, many times dearer. Here the links end, because what is there moves into another Map now and then (D-64).
 * It iterates in the order in which keys came.
 */
export class PassingMap<K, V> {
  #entries = new Map<K, V>();
  #settings = 0;

  get size(): number {
    return this.#entries.size;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    if (this.#settings >= Math.max(settingsOfOne, this.#entries.size)) {
      this.#entries = new Map(this.#entries);
      this.#settings = 0;
    }
    this.#settings += 1;
    this.#entries.set(key, value);
  }

  /** Whether it was there. */
  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  /** What is there now, as a list of its own. */
  values(): V[] {
    return [...this.#entries.values()];
  }
}

/** As `PassingMap`, of members alone. */
export class PassingSet<T> {
  readonly #members = new PassingMap<T, T>();

  get size(): number {
    return this.#members.size;
  }

  has(member: T): boolean {
    return this.#members.has(member);
  }

  add(member: T): void {
    this.#members.set(member, member);
  }

  /** Whether it was there. */
  delete(member: T): boolean {
    return this.#members.delete(member);
  }

  /** What is there now, as a list of its own. */
  values(): T[] {
    return this.#members.values();
  }
}
