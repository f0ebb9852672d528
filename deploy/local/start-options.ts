import { parseArgs } from 'node:util';
import type { RedisTopology } from './many/many-stack.ts';
import { Missing } from './progress.ts';

const usage = `npm start                         one of everything
npm start -- --topology many      three brokers, a replica of each store, two replicas of every service
npm start -- --topology many --redis cluster   a Redis Cluster where Sentinels would watch a primary
npm start -- --observe            also Prometheus, Alertmanager, traces, and the boards
npm start -- --once               plays the journey and exits`;

/** What `npm start` was asked for. */
export interface StartOptions {
  /** Plays the journey and exits. */
  readonly once: boolean;
  readonly topology: 'one' | 'many';
  /** Of the topology many. */
  readonly redis: RedisTopology;
  /** Also starts what watches the stack. */
  readonly observe: boolean;
}

const parsed = (args: readonly string[]) => {
  const options = {
    once: { type: 'boolean' },
    observe: { type: 'boolean' },
    topology: { type: 'string' },
    redis: { type: 'string' },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Missing(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
};

/** Reads the command line. Throws Missing with the usage. */
export const readStartOptions = (args: readonly string[]): StartOptions => {
  const { once = false, observe = false, topology = 'one', redis = 'sentinel' } = parsed(args);
  if (topology !== 'one' && topology !== 'many') throw new Missing(`--topology is one or many\n${usage}`);
  if (redis !== 'sentinel' && redis !== 'cluster')
    throw new Missing(`--redis is sentinel or cluster\n${usage}`);
  if (redis === 'cluster' && topology === 'one')
    throw new Missing(`--redis cluster goes with --topology many\n${usage}`);
  return { once, topology, redis, observe };
};
