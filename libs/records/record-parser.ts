import type { z } from 'zod';
import { checkOf } from '#libs/contracts/kind-of.ts';
import { camelWire, fromWire } from '#libs/contracts/wire.ts';
import type { Camel } from '#libs/contracts/wire.ts';

/** Where a record comes from: a hash, which our own code has packed, or JSON, which another version may have written. */
export type RecordSource = 'packed' | 'json';

/**
 * Parses a record as it stands on the wire. Of a packed one that is of the right kind the values are not looked at one by one: they were parsed
 * when they came to us, and are again by whoever reads the events of it (D-65). Throws ZodError.
 */
export const recordParser = <S extends z.ZodObject>(
  schema: S,
): ((wire: unknown, source: RecordSource) => Camel<z.output<S>>) => {
  const isWhole = checkOf(schema);
  return (wire, source) =>
    source === 'packed' && isWhole(wire) ? (camelWire(wire) as Camel<z.output<S>>) : fromWire(schema, wire);
};
