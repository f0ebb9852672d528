import { readFileSync } from 'node:fs';

/** The OpenAPI document of an API, which deploy/generate makes of the contracts. */
export const openapiOf = (api: 'game' | 'launcher' | 'settlement'): unknown => {
  const file = new URL(`../../deploy/generate/api/${api}.openapi.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
};
