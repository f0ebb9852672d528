import { z } from 'zod';

/** Whether a value is as something says. */
export type Check = (value: unknown) => boolean;

const checkOfObject = (schema: z.ZodObject): Check => {
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const fields = Object.entries(shape).map(([name, field]) => [name, checkOf(field)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    for (const [name, check] of fields) if (!check((value as Record<string, unknown>)[name])) return false;
    return true;
  };
};

/**
 * Whether a value on the wire is of the kind that a schema says: nothing is missing, numbers are whole, and states are known ones. That costs a
 * tenth of parsing it, and tells what our own code can get wrong from what it cannot (D-65). Throws for a schema that makes something else of
 * a value.
 */
export const checkOf = (schema: z.core.$ZodType): Check => {
  if (schema instanceof z.ZodObject) return checkOfObject(schema);
  if (schema instanceof z.ZodDefault) return checkOf(schema.unwrap());
  if (schema instanceof z.ZodOptional) {
    const check = checkOf(schema.unwrap());
    return (value) => value === undefined || check(value);
  }
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
  if (type === 'number') return Number.isSafeInteger;
  if (type === 'string' || type === 'boolean') return (value) => typeof value === type;
  if (type === 'union' || type === 'literal') return (value) => z.safeParse(schema, value).success;
  throw new Error(`nothing on the wire is of the kind ${type}`);
};
