import type { z } from 'zod';

type CamelKey<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : K;

/** The type of a wire value inside the process: the same, with camelCase names. */
export type Camel<T> = T extends readonly (infer Item)[]
  ? Camel<Item>[]
  : T extends object
    ? { [K in keyof T as CamelKey<K>]: Camel<T[K]> }
    : T;

const camelKey = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
/** A name in snake_case. */
export const snakeKey = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const memo = (rename: (key: string) => string): ((key: string) => string) => {
  const known = new Map<string, string>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const name = rename(key);
    if (known.size < 1000) known.set(key, name);
    return name;
  };
};

const renameKeys = (value: unknown, rename: (key: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const renamed: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key !== '__proto__')
      renamed[rename(key)] = renameKeys((value as Record<string, unknown>)[key], rename);
  }
  return renamed;
};

const toCamel = memo(camelKey);
const toSnake = memo(snakeKey);

/** Renames the fields of a wire value to camelCase; it is not parsed. */
export const camelWire = (value: unknown): unknown => renameKeys(value, toCamel);

/** Parses a wire value with its schema and renames its fields to camelCase. Throws ZodError. */
export const fromWire = <S extends z.ZodType>(schema: S, value: unknown): Camel<z.output<S>> =>
  camelWire(schema.parse(value)) as Camel<z.output<S>>;

/** Renames the fields of a value to snake_case, as in HTTP bodies, Kafka values and stored JSON. */
export const toWire = (value: unknown): unknown => renameKeys(value, toSnake);
