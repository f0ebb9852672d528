import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectKubernetes } from '#libs/catalog/kubernetes-api.ts';
import { onInterrupt } from '../../../deploy/local/on-interrupt.ts';
import { connectKeys } from '../../../deploy/operations/keys/kubernetes-keys.ts';
import { newLauncherKey } from '../../../deploy/operations/keys/new-keys.ts';
import { manyCafesNamespace as namespace, ran } from '../../cluster/programs.ts';
import type { Told, Wanted } from './watch-keys.ts';

// The launcher keys of many cafes, in the cluster of KUBECONFIG (an API server is enough; the CRDs of the chart must be there), read as
// launcher-gateway reads them: node deploy/local/bootstrap.mjs test/load/many-cafes/main.ts [5000]
const cafes = Number(process.argv[2] ?? 5_000);
const atOnce = 32;
const startsWithinMs = 20_000;
const liveWithinMs = 5_000;
/** By when the watching process has told something at all. */
const toldWithinMs = 120_000;
const print = (text: string) => void process.stdout.write(`${text}\n`);
const ms = (value: number) => `${value.toFixed(0)} ms`;

const store = connectKeys(namespace);
const { core } = connectKubernetes(namespace);
const keyOf = (cafe: string) =>
  newLauncherKey({ cafe, name: 'k1', pcs: '120', secretBytes: randomBytes(32) });
const nameOf = (cafe: string) => keyOf(cafe).metadata.name;
const storeKey = (cafe: string) => store.createLauncherKey(keyOf(cafe));

const inTurns = async (items: readonly string[], work: (item: string) => Promise<unknown>): Promise<void> => {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

const startWatching = () => {
  const file = join(import.meta.dirname, 'watch-keys.ts');
  const child = fork(file, [namespace], { execArgv: [...process.execArgv, '--expose-gc'] });
  const next = async <T>(): Promise<T> => {
    const signal = AbortSignal.timeout(toldWithinMs);
    const [message] = (await once(child, 'message', { signal }).catch((cause: unknown) => {
      throw new Error(`${file} told nothing within ${ms(toldWithinMs)}`, { cause });
    })) as [T];
    return message;
  };
  const ask = (wanted: Wanted): Promise<Told> => {
    const told = next<Told>();
    child.send(wanted);
    return told;
  };
  return { next, ask, stop: () => child.disconnect() };
};

const missed: string[] = [];
const hold = (what: string, tookMs: number, mostMs: number): void => {
  if (tookMs > mostMs) missed.push(`${what} took ${ms(tookMs)}, more than ${ms(mostMs)}`);
};

const tell = (what: string, { tookMs, cpuMs, rssMb, pauseMs, keys }: Told): void =>
  print(
    `${what}: ${ms(tookMs)}, ${ms(cpuMs)} of CPU, longest pause ${ms(pauseMs)}, ${rssMb.toFixed(0)} MB, ${keys} objects`,
  );

const measure = async (): Promise<void> => {
  const watch = startWatching();
  try {
    const { rssMb } = await watch.next<{ rssMb: number }>();
    print(`before the list: ${rssMb.toFixed(0)} MB`);
    const listed = await watch.next<Told>();
    tell('listed', listed);
    hold('the list', listed.tookMs, startsWithinMs);
    if (listed.keys !== cafes) missed.push(`${listed.keys} of ${cafes} keys are known`);
    for (const [what, more] of [
      ['one more', 1],
      ['two hundred more', 200],
    ] as const) {
      const added = Array.from({ length: more }, (_, at) => `cafe-${what.length}-${at}`);
      const keys = added.map(nameOf);
      const known = watch.ask({ keys, known: true });
      await inTurns(added, storeKey);
      const storedAt = performance.now();
      tell(`${what}, known`, await known);
      hold(`${what}, after the last was stored`, performance.now() - storedAt, liveWithinMs);
      const gone = watch.ask({ keys, known: false });
      await inTurns(keys, (name) => core.deleteNamespacedSecret({ namespace, name }));
      const deletedAt = performance.now();
      tell('and gone again', await gone);
      hold(`${what} gone again, after the last was deleted`, performance.now() - deletedAt, liveWithinMs);
    }
  } finally {
    watch.stop();
  }
};

let removed: Promise<unknown> | undefined;
const remove = () =>
  (removed ??= ran('kubectl', ['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']));
onInterrupt(remove);
await ran('kubectl', ['create', 'namespace', namespace]);
try {
  const startedAt = performance.now();
  await inTurns(
    Array.from({ length: cafes }, (_, at) => `cafe-${at}`),
    storeKey,
  );
  print(`${cafes} launcher keys stored: ${ms(performance.now() - startedAt)}`);
  await measure();
} finally {
  await remove();
}
for (const problem of missed) print(`✗ ${problem}`);
process.exitCode = missed.length === 0 ? 0 : 1;
