import type { PostgresPair } from '../many/postgres-pair.ts';
import type { ManyRedis } from '../many/redis-nodes.ts';
import type { KafkaCluster } from '../kafka.ts';
import { childrenOf } from '../processes.ts';
import { Missing } from '../progress.ts';
import type { Print } from '../progress.ts';
import type { Run } from '../run.ts';
import type { Store } from '../store-process.ts';
import type { Supervised } from '../supervisor.ts';
import type { Links } from './links.ts';
import { findLibfaketime, shiftedClock } from './shifted-clock.ts';

const oneDaySec = 86_400;

/** What can be broken in a stack besides its links. Names are those of the stack: `kafka-2`, `redis-1`, `postgres-1`, `ott-2`. */
export interface Faults {
  readonly links: Links;
  /** Processes by name, and what stands for some of them: `redis-primary`, `postgres-standby` and so on. Throws when there is none. */
  nameOf(wanted: string): Promise<string>;
  /** SIGKILL, with all its children. A service is started again at once, a store stays down until `start`. */
  kill(name: string): Promise<void>;
  /** Starts a store that was killed, on the same port and data. */
  start(name: string): Promise<void>;
  /** SIGSTOP or SIGCONT: its connections stay open, and nothing answers. */
  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Starts a replica again with its wall clock so many seconds off; 0: as it should be. Throws Missing without libfaketime. */
  skew(name: string, seconds: number): Promise<void>;
  readonly canSkew: boolean;
  readonly postgres: PostgresPair;
  readonly redis: ManyRedis;
  /** Names of the services' replicas, and of the stores. */
  readonly services: readonly string[];
  readonly stores: readonly string[];
}

interface FaultsOptions {
  readonly run: Run;
  readonly links: Links;
  readonly services: readonly Supervised[];
  readonly kafka: KafkaCluster;
  readonly redis: ManyRedis;
  readonly postgres: PostgresPair;
  readonly print: Print;
}

const other = (name: string): string => name.replace(/[12]$/, (number) => (number === '1' ? '2' : '1'));

/** Names for whoever has a part at the moment. */
const partsOf = ({ redis, postgres }: FaultsOptions): Record<string, () => Promise<string>> => ({
  'redis-primary': async () => (await redis.primary()).name,
  'redis-replica': () => redis.replica(),
  'postgres-primary': async () => postgres.primary(),
  'postgres-standby': async () => other(postgres.primary()),
});

const storesOf = ({ kafka, redis, postgres }: FaultsOptions): ReadonlyMap<string, Store> =>
  new Map([
    ...kafka.nodes.map((node, index) => [`kafka-${index + 1}`, node] as const),
    ...redis.nodes,
    ...postgres.nodes,
  ]);

const required = <T>(found: T | undefined, what: string): T => {
  if (found === undefined) throw new Error(what);
  return found;
};

/** A clock that is more than a day off is a mistake of who asked. */
const skewOf = (libfaketime: string | undefined, seconds: number): Record<string, string> => {
  if (Math.abs(seconds) > oneDaySec) throw new Error('a clock is shifted by a day at most');
  if (seconds === 0) return {};
  if (libfaketime !== undefined) return shiftedClock(libfaketime, seconds);
  throw new Missing(
    'No clock can be shifted: libfaketime is not here (Debian: apt-get install libfaketime).',
  );
};

/** Resolves what a person calls a process to the name it was started under. */
const createNames = (options: FaultsOptions, names: readonly string[]) => {
  const parts = partsOf(options);
  return async (wanted: string): Promise<string> => {
    const name = (await parts[wanted]?.()) ?? wanted;
    if (names.includes(name)) return name;
    throw new Error(`nothing is called ${wanted}; there are ${[...names, ...Object.keys(parts)].join(', ')}`);
  };
};

/** The faults of a stack. Says once when no clock can be shifted on this machine. */
export const createFaults = async (options: FaultsOptions): Promise<Faults> => {
  const { run, links, services, redis, postgres, print } = options;
  const stores = storesOf(options);
  const libfaketime = await findLibfaketime();
  if (libfaketime === undefined) print('! libfaketime is not here: no clock can be shifted.');
  const [serviceNames, storeNames] = [services.map(({ name }) => name), [...stores.keys()]];
  const pidOf = (name: string): number =>
    required(run.children().find((each) => each.name === name)?.pid, `${name} does not run`);
  return {
    ...{ links, redis, postgres, canSkew: libfaketime !== undefined },
    ...{ services: serviceNames, stores: storeNames },
    nameOf: createNames(options, [...serviceNames, ...storeNames]),
    kill: async (name) => {
      const store = stores.get(name);
      if (store) await store.kill();
      else process.kill(pidOf(name), 'SIGKILL');
    },
    start: async (name) => {
      const store = required(stores.get(name), `${name} is a service: it is started again by itself`);
      if (store.pid !== undefined) throw new Error(`${name} runs already`);
      await store.restart();
    },
    signal: (name, signal) => {
      const pid = pidOf(name);
      for (const each of [pid, ...childrenOf(pid)]) process.kill(each, signal);
    },
    skew: async (name, seconds) => {
      const found = services.find((each) => each.name === name);
      const service = required(found, `${name} is no service: only their clocks are shifted`);
      const shifted = skewOf(libfaketime, seconds);
      await service.stop();
      await service.start({ env: shifted });
    },
  };
};
