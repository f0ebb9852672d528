import { apis } from '#libs/contracts/document/apis.ts';
import { asyncapi } from '#libs/contracts/document/asyncapi.ts';
import { openapi } from '#libs/contracts/document/openapi.ts';

/** The documents that are made of the contracts, by file name below deploy/generate/api. */
export const documents = (): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(apis).map(([name, api]) => [`${name}.openapi.json`, openapi(api)])),
  'events.asyncapi.json': asyncapi(),
});

/** A document as it is committed. */
export const written = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`;
