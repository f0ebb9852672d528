import { apis } from './documents/apis.ts';
import { asyncapi } from './documents/asyncapi.ts';
import { openapi } from './documents/openapi.ts';

/** The documents that are made of the contracts, by file name below deploy/generate/api. */
export const documents = (): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(apis).map(([name, api]) => [`${name}.openapi.json`, openapi(api)])),
  'events.asyncapi.json': asyncapi(),
});

/** A document as it is committed. */
export const written = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`;
