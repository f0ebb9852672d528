import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { repeatEvents } from './duplicates.ts';
import type { History } from './history.ts';
import type { FaultName, Planned } from './schedule.ts';
import { sleep } from '#libs/runtime/wait.ts';

/** Cafe that runs out of balance, by its place in the catalog. */
const poorCafe = 2;
const plenty = 1_000_000;

/** A stack to break, and where it keeps its data. */
export interface Target {
  readonly stack: Stack;
  readonly dir: string;
  readonly kafka: KafkaConnection;
}

/** Does a fault, waits until the product is whole again, and says what was done. */
type Inject = (target: Target, planned: Planned) => Promise<string>;

const put = async (url: string, body: unknown): Promise<void> => {
  const sent = { method: 'PUT', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const { status } = await fetch(url, sent);
  if (status !== 200) throw new Error(`the partner answered ${status} to ${url}`);
};

const killService =
  (service: string): Inject =>
  async ({ stack }) => {
    const before = stack.service(service).pid();
    stack.service(service).kill('SIGKILL');
    while (stack.service(service).pid() === before) await sleep(20);
    await stack.service(service).ready();
    return `SIGKILL of ${service}; ready again`;
  };

const killStore =
  (name: 'kafka' | 'redis' | 'postgres', meanwhile: (target: Target) => void = () => undefined): Inject =>
  async (target, { forSec }) => {
    const store = target.stack[name];
    await store.kill();
    meanwhile(target);
    await sleep(forSec * 1000);
    await store.restart();
    return `SIGKILL of ${name}, away for ${forSec} s`;
  };

const freeze: Inject = async ({ stack }, { forSec }) => {
  stack.service('game-session').kill('SIGSTOP');
  await sleep(forSec * 1000);
  stack.service('game-session').kill('SIGCONT');
  return `SIGSTOP of game-session for ${forSec} s`;
};

const partnerFails: Inject = async ({ stack }, { partner, forSec }) => {
  const { url } = stack.facts().partner;
  await put(`${url}/control/faults`, { ...partner });
  await sleep(forSec * 1000);
  await fetch(`${url}/control/faults`, { method: 'DELETE' });
  return `partner: ${partner?.mode} on ${partner?.operation}, ${(partner?.ratio ?? 1) * 100} %`;
};

const runOut: Inject = async ({ stack }, { forSec }) => {
  const { partner, cafes } = stack.facts();
  const url = `${partner.url}/control/cafes/${cafes[poorCafe]?.cafe_id}`;
  await put(url, { remaining_sec: 0 });
  await sleep(forSec * 1000);
  await put(url, { remaining_sec: plenty });
  return `a cafe's balance ran out, topped up after ${forSec} s`;
};

const emptied = ({ dir }: Target) =>
  rmSync(join(dir, 'redis', 'appendonlydir'), { recursive: true, force: true });

const injections: Record<FaultName, Inject> = {
  'kill launcher-gateway': killService('launcher-gateway'),
  'kill ott': killService('ott'),
  'kill billing-adapter': killService('billing-adapter'),
  'kill game-session': killService('game-session'),
  'kill settlement': killService('settlement'),
  'freeze game-session': freeze,
  'empty Redis': killStore('redis', emptied),
  'kill Redis': killStore('redis'),
  'kill Kafka': killStore('kafka'),
  'stop Kafka': killStore('kafka'),
  'kill Postgres': killStore('postgres'),
  'duplicate events': async ({ kafka }) => `${await repeatEvents(kafka)} events said twice`,
  partner: partnerFails,
  balance: runOut,
};

/** What may happen while something else is broken; the others wait until the product is whole again. */
const besideOthers: ReadonlySet<FaultName> = new Set(['partner', 'balance']);

/** Lets the faults happen, each at its time or when the one before it is over, and writes them down. Rejects when one could not be done. */
export const injectAll = async (
  target: Target,
  plan: readonly Planned[],
  history: History,
  print: (line: string) => void,
): Promise<void> => {
  const beganMs = history.now();
  const one = async (planned: Planned): Promise<void> => {
    await sleep(beganMs + planned.atSec * 1000 - history.now());
    const at = history.now();
    const what = await injections[planned.name](target, planned);
    history.add({ kind: 'fault', at, until: history.now(), name: planned.name, what });
    print(
      `  ${(at / 1000).toFixed(1).padStart(6)} s  ${what} (${((history.now() - at) / 1000).toFixed(1)} s)`,
    );
  };
  const beside = plan.filter(({ name }) => besideOthers.has(name)).map(one);
  const inTurn = plan
    .filter(({ name }) => !besideOthers.has(name))
    .reduce(async (before, planned) => {
      await before;
      await one(planned);
      await sleep(planned.restSec * 1000);
    }, Promise.resolve());
  await Promise.all([inTurn, ...beside]);
};
