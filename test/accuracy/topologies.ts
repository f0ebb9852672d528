import type { StackFacts } from '#simulators/stack-file.ts';
import { startStack } from '../../deploy/local/stack.ts';
import type { StackOptions } from '../../deploy/local/start-services.ts';
import type { Injections } from './inject.ts';
import { injectionsOfMany } from './many/inject.ts';
import { kindsOfMany } from './many/kinds.ts';
import { injectionsOfOne } from './one/inject.ts';
import { kindsOfOne } from './one/kinds.ts';
import type { Options } from './options.ts';
import type { Kinds } from './schedule.ts';

/** A stack that is played on and broken. */
export interface BreakableStack {
  readonly facts: () => StackFacts;
  readonly brokers: string[];
  /** The servers of Redis that have the tokens now. */
  readonly redisUrls: () => Promise<readonly string[]>;
  /** How to reach Redis, as settings of a service. */
  readonly redisSettings: Readonly<Record<string, string>>;
  readonly injections: Injections;
}

interface Topology {
  readonly kinds: Kinds;
  readonly start: (options: StackOptions, asked: Pick<Options, 'redis'>) => Promise<BreakableStack>;
}

const one: Topology['start'] = async (options) => {
  const stack = await startStack(options);
  const { facts, kafka, redis } = stack;
  const injections = injectionsOfOne({ stack, dir: options.dir });
  return {
    facts,
    injections,
    brokers: kafka.brokers,
    redisUrls: async () => [redis.url],
    redisSettings: { REDIS_URL: redis.url },
  };
};

const many: Topology['start'] = async (options, { redis: mode }) => {
  const stack = await startStack({ ...options, topology: 'many', redis: mode });
  const { facts, kafka, redis } = stack;
  return {
    facts,
    injections: injectionsOfMany(stack),
    brokers: kafka.brokers,
    redisUrls: redis.primaries,
    redisSettings: redis.settings,
  };
};

/** What runs, and what can go wrong with it. */
export const topologies: Readonly<Record<Options['topology'], Topology>> = {
  one: { kinds: kindsOfOne, start: one },
  many: { kinds: kindsOfMany, start: many },
};
