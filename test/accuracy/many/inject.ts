import { until } from '../../../deploy/local/progress.ts';
import type { ManyStack } from '../../../deploy/local/many/many-stack.ts';
import { serviceNames } from '#libs/contracts/topics.ts';
import { sleep } from '#libs/runtime/wait.ts';
import type { Inject, Injections } from '../inject.ts';
import { moveLeaders, untilInSync } from './move-leaders.ts';

const brokers = ['kafka-1', 'kafka-2', 'kafka-3'] as const;
const replicas = serviceNames.flatMap((service) => [`${service}-1`, `${service}-2`]);
/** What a standby or replica has not received when it takes over, in ms of writing. */
const behindMs = 2_000;

type Act = (stack: ManyStack, name: string, forSec: number) => Promise<string>;

const forAWhile = (forSec: number) => sleep(forSec * 1000);
const nodeOf = ({ kafka }: ManyStack, broker: string) => {
  const node = kafka.nodes[Number(broker.at(-1)) - 1];
  if (node === undefined) throw new Error(`no broker is called ${broker}`);
  return node;
};

const ofBrokers: Readonly<Record<string, Act>> = {
  kill: async (stack, broker, forSec) => {
    await nodeOf(stack, broker).kill();
    await forAWhile(forSec);
    await nodeOf(stack, broker).restart();
    return `SIGKILL of ${broker}, away for ${forSec} s`;
  },
  roll: async (stack, broker, forSec) => {
    await nodeOf(stack, broker).stop();
    await forAWhile(forSec);
    await nodeOf(stack, broker).restart();
    return `SIGTERM of ${broker}, away for ${forSec} s`;
  },
  'black-hole': async ({ faults, links }, broker, forSec) => {
    links.link(broker).set({ mode: 'blackhole' });
    faults.signal(broker, 'SIGSTOP');
    await forAWhile(forSec);
    faults.signal(broker, 'SIGCONT');
    links.link(broker).set({ mode: 'pass' });
    return `${broker} was dead without a word for ${forSec} s`;
  },
  delay: async ({ links }, broker, forSec) => {
    links.link(broker).set({ mode: 'delay', ms: 200 });
    await forAWhile(forSec);
    links.link(broker).set({ mode: 'pass' });
    return `every byte of ${broker} was 200 ms late for ${forSec} s`;
  },
};

const ofReplicas: Readonly<Record<string, Act>> = {
  kill: async (stack, name) => {
    const before = stack.service(name).pid();
    stack.service(name).kill('SIGKILL');
    await until(`${name} again`, async () => stack.service(name).pid() !== before);
    await stack.service(name).ready();
    return `SIGKILL of ${name}; ready again under the same name`;
  },
  stop: async ({ faults }, name, forSec) => {
    faults.signal(name, 'SIGSTOP');
    await forAWhile(forSec);
    faults.signal(name, 'SIGCONT');
    return `SIGSTOP of ${name} for ${forSec} s`;
  },
  restart: async (stack, name) => {
    await stack.service(name).stop();
    await stack.service(name).start();
    return `SIGTERM of ${name}; ready again under the same name`;
  },
  'cut Redis for': async ({ faults, redis }, name, forSec) => {
    const link = faults.links.link((await redis.primary()).name);
    link.set({ mode: 'cut' }, name);
    await forAWhile(forSec);
    link.set({ mode: 'pass' });
    return `${name} was cut off from Redis for ${forSec} s`;
  },
  'black-hole Redis for': async ({ faults, redis }, name, forSec) => {
    const link = faults.links.link((await redis.primary()).name);
    link.set({ mode: 'blackhole' }, name);
    await forAWhile(forSec);
    link.set({ mode: 'pass' });
    return `Redis was silent to ${name} for ${forSec} s`;
  },
};

/** Resolves when the Sentinels have made another server the primary. */
const replaced = ({ redis }: ManyStack, before: string): Promise<void> =>
  until('another primary of Redis', async () => (await redis.primary()).name !== before, 60_000);

const failRedisOver = async (stack: ManyStack, forSec: number): Promise<string> => {
  const { name } = await stack.redis.primary();
  await stack.faults.kill(name);
  await Promise.all([replaced(stack, name), forAWhile(forSec)]);
  stack.links.link(name).set({ mode: 'pass' });
  await stack.faults.start(name);
  return `SIGKILL of ${name}; ${(await stack.redis.primary()).name} is the primary`;
};

const blackHoleRedis = async (stack: ManyStack, forSec: number): Promise<string> => {
  const { name } = await stack.redis.primary();
  // The servers of a cluster watch each other past the links.
  const isOfCluster = stack.redis.settings['REDIS_MODE'] === 'cluster';
  stack.links.link(name).set({ mode: 'blackhole' });
  if (isOfCluster) stack.faults.signal(name, 'SIGSTOP');
  await Promise.all([replaced(stack, name), forAWhile(forSec)]);
  if (isOfCluster) stack.faults.signal(name, 'SIGCONT');
  stack.links.link(name).set({ mode: 'pass' });
  return `${name} was silent to everybody for ${forSec} s; ${(await stack.redis.primary()).name} is the primary`;
};

/** The one that follows does not receive what its primary writes, from now on. */
const leaveBehind = async ({ faults, links }: ManyStack, store: 'redis' | 'postgres'): Promise<void> => {
  const follower = await faults.nameOf(store === 'redis' ? 'redis-replica' : 'postgres-standby');
  const primary = await faults.nameOf(`${store}-primary`);
  links.link(primary).set({ mode: 'blackhole' }, follower);
  await sleep(behindMs);
};

const promote = async ({ postgres, links }: ManyStack): Promise<string> => {
  const before = postgres.primary();
  await postgres.promote();
  links.link(before).set({ mode: 'pass' });
  await postgres.rejoin();
  return `SIGKILL of ${before}; ${postgres.primary()} was promoted`;
};

const ofTheRest = (stack: ManyStack): Injections => ({
  'move leaders': async () => `leaders of ${await moveLeaders(stack.kafka.brokers)} topics moved`,
  'fail Redis over': ({ forSec }) => failRedisOver(stack, forSec),
  'fail Redis over with the replica behind': async ({ forSec }) => {
    await leaveBehind(stack, 'redis');
    return `${await failRedisOver(stack, forSec)}, without the last ${behindMs / 1000} s`;
  },
  'black-hole Redis': ({ forSec }) => blackHoleRedis(stack, forSec),
  'half-open Redis': async () => {
    const { name } = await stack.redis.primary();
    stack.links.link(name).halfOpen();
    return `every connection to ${name} was half-open`;
  },
  'promote Postgres': () => promote(stack),
  'promote Postgres with the standby behind': async () => {
    await leaveBehind(stack, 'postgres');
    return `${await promote(stack)}, without the last ${behindMs / 1000} s`;
  },
});

const skewed =
  ({ faults }: ManyStack, name: string, seconds: number): Inject =>
  async ({ forSec }) => {
    if (!faults.canSkew) return `${name}: no clock can be shifted on this machine`;
    await faults.skew(name, seconds);
    await forAWhile(forSec);
    await faults.skew(name, 0);
    return `the clock of ${name} was ${seconds} s off for ${forSec} s`;
  };

const skews = (stack: ManyStack): [string, Inject][] =>
  replicas.flatMap((name) =>
    [300, -300, 60, -20].map((seconds): [string, Inject] => [
      `skew ${name} ${seconds > 0 ? '+' : ''}${seconds} s`,
      skewed(stack, name, seconds),
    ]),
  );

/** Every act on each of these, by what the schedule calls it. */
const onEach = (
  stack: ManyStack,
  acts: Readonly<Record<string, Act>>,
  names: readonly string[],
): [string, Inject][] =>
  Object.entries(acts).flatMap(([verb, act]) =>
    names.map((name): [string, Inject] => [`${verb} ${name}`, ({ forSec }) => act(stack, name, forSec)]),
  );

/** How each fault of many of everything is done; after one of a broker, every broker has every message again. */
export const injectionsOfMany = (stack: ManyStack): Injections => {
  const whole =
    (inject: Inject): Inject =>
    async (planned) => {
      const done = await inject(planned);
      await untilInSync(stack.kafka.brokers);
      return done;
    };
  const broker = onEach(stack, ofBrokers, brokers).map(([name, inject]) => [name, whole(inject)] as const);
  return Object.fromEntries([
    ...broker,
    ...onEach(stack, ofReplicas, replicas),
    ...skews(stack),
    ...Object.entries(ofTheRest(stack)),
  ]);
};
