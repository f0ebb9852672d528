import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const url = z.url();

/** `.local/stack.json`: the addresses of a running local stack, and the keys to play with. */
export const stackFile = z.object({
  launcher: z.object({ url }),
  game: z.object({
    url,
    games: z
      .array(z.object({ game_id: z.string(), name: z.string(), api_keys: z.array(z.string()).min(1) }))
      .min(3),
  }),
  /** `time_zone`: that of its days, where it is not the usual one. */
  settlement: z.object({ url, operator_key: z.string(), time_zone: z.string().optional() }),
  partner: z.object({ url, token: z.string().optional() }),
  cafes: z
    .array(
      z.object({
        cafe_id: z.string(),
        key_id: z.string(),
        secret: z.base64(),
        ips: z.array(z.string()).min(1),
      }),
    )
    .min(3),
  kafka: z.object({ brokers: z.array(z.string()) }),
  /** With Sentinels and in a cluster, `url` is the primary of the moment that was written, in a cluster that of the first slots. */
  redis: z.object({
    url: z.string(),
    sentinels: z.array(z.string()).optional(),
    master: z.string().optional(),
    cluster: z.array(z.string()).optional(),
  }),
  /** `url` is the owner's, `closer_url` that of the commands of operators. */
  postgres: z.object({ url: z.string(), closer_url: z.string().optional() }),
  processes: z.array(
    z.object({ service: z.string(), replica: z.string().optional(), pid: z.int(), ops: url }),
  ),
  /** Where `npm run fault` says what to break. */
  faults: z.object({ url }).optional(),
});

/** A running local stack. */
export type StackFacts = z.output<typeof stackFile>;

/** What a player must know of a stack, wherever it runs. */
export type PlayFacts = Pick<StackFacts, 'launcher' | 'game' | 'settlement' | 'partner' | 'cafes'>;

/** Reads the file that a running stack has written. Throws when there is none, or it is another shape. */
export const readStack = async (path: string): Promise<StackFacts> =>
  stackFile.parse(JSON.parse(await readFile(path, 'utf8')));
