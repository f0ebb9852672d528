import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { watchKubernetes } from '#libs/catalog/kubernetes-catalog.ts';
import { createLog } from '#libs/runtime/log.ts';

/** What the watching process tells: that all keys are listed, or that it knows the keys that it was asked for, or knows them no more. */
export interface Told {
  readonly tookMs: number;
  readonly keys: number;
  readonly cpuMs: number;
  readonly rssMb: number;
  /** The longest time in which the process did nothing else. */
  readonly pauseMs: number;
}

/** To wait for: keys that come or go. */
export interface Wanted {
  readonly keys: readonly string[];
  readonly known: boolean;
}

const pollMs = 2;
const tick = () => new Promise((resolve) => setTimeout(resolve, pollMs));
const namespace = process.argv[2] ?? '';
const log = createLog({ service: 'load', instance: 'load', level: 'error' });
const source = watchKubernetes({ namespace, kinds: ['Game', 'Secret'], writesStatus: false, log });
const catalog = createCatalog(source.objects, Date.now);
const delay = monitorEventLoopDelay({ resolution: 1 });

const measured = async (work: () => Promise<unknown>): Promise<Told> => {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  delay.enable();
  await work();
  const tookMs = performance.now() - startedAt;
  await tick();
  delay.disable();
  const pauseMs = delay.max / 1e6;
  delay.reset();
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const rssMb = process.memoryUsage.rss() / 2 ** 20;
  return { tookMs, pauseMs, rssMb, keys: source.objects().length, cpuMs: (user + system) / 1000 };
};

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await tick();
};

// As launcher-gateway starts: the client is loaded already, and memory before the list is what it costs without cafes.
globalThis.gc?.();
process.send?.({ rssMb: process.memoryUsage.rss() / 2 ** 20 });
process.send?.(await measured(() => Promise.resolve(source.start(() => undefined))));
process.on('message', ({ keys, known }: Wanted) => {
  const isSo = () => keys.every((key) => (catalog.launcherKey(key) !== undefined) === known);
  void measured(() => until(isSo)).then((told) => process.send?.(told));
});
process.on('disconnect', () => process.exit(0));
