/** After so many additions, or as many as there are keys, a map begins anew. */
const additionsOfOne = 512;

/** A map of what comes and goes; it iterates in the order in which keys came. */
export interface PassingMap<K, V> {
  readonly size: number;
  has(key: K): boolean;
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  /** Whether it was there. */
  delete(key: K): boolean;
  /** What is there now, as a list of its own. */
  values(): V[];
}

/**
 * A map for what requests and messages bring and take with them. V8's Map and Set leave each table that they have outgrown linked to the next
 * one, for iterators, with what it held: once one table is old, what the later ones hold is kept alive by it after it has gone, becomes old, and
 * is collected with the old objects, many times dearer. Here the links end, because what is there moves into another Map now and then (D-64).
 */
export const createPassingMap = <K, V>(): PassingMap<K, V> => {
  let entries = new Map<K, V>();
  let added = 0;
  const beginAnew = (): void => {
    entries = new Map(entries);
    added = 0;
  };
  return {
    get size() {
      return entries.size;
    },
    has: (key) => entries.has(key),
    get: (key) => entries.get(key),
    set: (key, value) => {
      if (added >= Math.max(additionsOfOne, entries.size)) beginAnew();
      added += 1;
      entries.set(key, value);
    },
    delete: (key) => entries.delete(key),
    values: () => [...entries.values()],
  };
};

/** A set of what comes and goes; it iterates in the order in which its members came. */
export interface PassingSet<T> {
  readonly size: number;
  has(member: T): boolean;
  add(member: T): void;
  /** Whether it was there. */
  delete(member: T): boolean;
  /** What is there now, as a list of its own. */
  values(): T[];
}

/** As `createPassingMap`, of members alone. */
export const createPassingSet = <T>(): PassingSet<T> => {
  const members = createPassingMap<T, T>();
  return {
    get size() {
      return members.size;
    },
    has: members.has,
    add: (member) => members.set(member, member),
    delete: members.delete,
    values: members.values,
  };
};
