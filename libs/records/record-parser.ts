import { z } from 'zod';
import { camelWire, fromWire } from '#libs/contracts/wire.ts';
import type { Camel } from '#libs/contracts/wire.ts';

/** Where a record comes from: a hash, which our own code has packed, or JSON, which another version may have written. */
export type RecordSource = 'packed' | 'json';

type Check = (value: unknown) => boolean;

const checkOfObject = (schema: z.ZodObject): Check => {
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const fields = Object.entries(shape).map(([name, field]) => [name, checkOf(field)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    for (const [name, check] of fields) if (!check((value as Record<string, unknown>)[name])) return false;
    return true;
  };
};

/** Whether a value is of the kind that a schema says: nothing is missing, numbers are numbers, and states are known ones. */
const checkOf = (schema: z.core.$ZodType): Check => {
  if (schema instanceof z.ZodObject) return checkOfObject(schema);
  if (schema instanceof z.ZodDefault) return checkOf(schema.unwrap());
  if (schema instanceof z.ZodNullable) {
    const check = checkOf(schema.unwrap());
    return (value) => value === null || check(value);
  }
  if (schema instanceof z.ZodArray) {
    const check = checkOf(schema.element);
    return (value) => Array.isArray(value) && value.every(check);
  }
  if (schema instanceof z.ZodEnum) {
    const options = new Set<unknown>(schema.options);
    return (value) => options.has(value);
  }
  const { type } = schema._zod.def;
  if (type === 'number') return Number.isFinite;
  if (type === 'string' || type === 'boolean') return (value) => typeof value === type;
  return (value) => z.safeParse(schema, value).success;
};

/**
 * Parses a record as it stands on the wire. Of a packed one that is of the right kind the values are not looked at one by one, which costs a
 * tenth of a verify: they were parsed when they came to us, and parsed again by whoever reads the events of it. Throws ZodError.
 */
export const recordParser = <S extends z.ZodObject>(
  schema: S,
): ((wire: unknown, source: RecordSource) => Camel<z.output<S>>) => {
  const isWhole = checkOf(schema);
  return (wire, source) =>
    source === 'packed' && isWhole(wire) ? (camelWire(wire) as Camel<z.output<S>>) : fromWire(schema, wire);
};
