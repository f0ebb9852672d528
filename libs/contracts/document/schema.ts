import { z } from 'zod';

/** A JSON value of a document. */
export type Json = Record<string, unknown>;

/** The JSON Schema (2020-12, as OpenAPI 3.1 has it) of a contract's schema. */
export const jsonSchema = (schema: z.ZodType): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    unrepresentable: 'any',
    io: 'input',
  }) as Json;
  return rest;
};
