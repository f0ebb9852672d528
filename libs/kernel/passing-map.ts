/** After so many additions a map begins anew, as soon as what was in it before has gone. */
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
 * one, for iterators: of one that was collected late, everything that comes later is kept alive by those that went before it. Half of what
 * such a map had ever held became old, and was collected with the old objects, many times dearer. Here the links end after 512 additions (D-64).
 */
export const createPassingMap = <K, V>(): PassingMap<K, V> => {
  let [older, newer] = [new Map<K, V>(), new Map<K, V>()];
  let added = 0;
  const beginAnew = (): void => {
    [older, newer, added] = [newer, new Map<K, V>(), 0];
  };
  return {
    get size() {
      return older.size + newer.size;
    },
    has: (key) => newer.has(key) || older.has(key),
    get: (key) => (newer.has(key) ? newer.get(key) : older.get(key)),
    set: (key, value) => {
      if (older.has(key)) return void older.set(key, value);
      if (added >= additionsOfOne && older.size === 0 && !newer.has(key)) beginAnew();
      added += 1;
      newer.set(key, value);
    },
    delete: (key) => newer.delete(key) || older.delete(key),
    values: () => [...older.values(), ...newer.values()],
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
