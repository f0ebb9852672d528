import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const range = z.object({ autoscaling: z.object({ kind: z.string(), min: z.int(), max: z.int() }) });
/** Read in cores. */
const cpu = z.string().transform((text) => parseFloat(text) / (text.endsWith('m') ? 1_000 : 1));
const resources = z.object({ requests: z.object({ cpu }) });
const schema = z.object({
  defaults: z.object({ resources }),
  jobs: z.object({ resources }),
  services: z.object({
    'launcher-gateway': range,
    ott: range,
    'game-session': range,
    'billing-adapter': range,
    settlement: range,
  }),
  kafka: z.object({ partitions: z.int(), replicationFactor: z.int() }),
});

const usual = z.object({ defaults: z.object({ strategy: z.object({ maxSurge: z.int() }) }) });

const valuesIn = (name: string): unknown =>
  parse(readFileSync(resolve(import.meta.dirname, '../../../../charts/gsb', name), 'utf8'));

/** What presets go on top of: they never take away from it. */
export const live = schema.parse(valuesIn('values-live.yaml'));

/** How many pods more than usual a rollout makes. */
export const { maxSurge } = usual.parse(valuesIn('values.yaml')).defaults.strategy;
