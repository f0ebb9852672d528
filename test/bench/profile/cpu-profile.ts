import { z } from 'zod';
import { until } from '../../support/eventually.ts';

/** Where a process of Node listens once it is told to by SIGUSR1: one process at a time. */
const inspectorUrl = 'http://127.0.0.1:9229/json/list';
const samplingMicros = 250;
const answerWithinMs = 30_000;

const target = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const frame = z.object({ functionName: z.string(), url: z.string() });
const node = z.object({ id: z.int(), callFrame: frame, children: z.array(z.int()).default([]) });
const profile = z.object({ nodes: z.array(node), samples: z.array(z.int()), timeDeltas: z.array(z.int()) });
const answer = z.object({ id: z.int(), result: z.unknown() });

/** What V8 saw of a process: a tree of calls, which of them ran at each sample, and the µs between samples. */
export type CpuProfile = z.output<typeof profile>;

interface Inspector {
  call(method: string, params?: object): Promise<unknown>;
  close(): void;
}

const open = async (url: string): Promise<Inspector> => {
  const socket = new WebSocket(url);
  const signal = AbortSignal.timeout(answerWithinMs);
  const asked = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const read = answer.safeParse(JSON.parse(String(data)));
    if (read.success) asked.get(read.data.id)?.(read.data.result);
  });
  const inTime = <T>(work: Promise<T>): Promise<T> => {
    const late = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('the inspector did not answer in time'))),
    );
    return Promise.race([work, late]);
  };
  await inTime(new Promise((resolve) => socket.addEventListener('open', resolve)));
  let lastId = 0;
  return {
    call: (method, params = {}) => {
      const id = (lastId += 1);
      socket.send(JSON.stringify({ id, method, params }));
      return inTime(new Promise((resolve) => asked.set(id, resolve)));
    },
    close: () => socket.close(),
  };
};

const inspected = async (): Promise<string | undefined> => {
  const found = await fetch(inspectorUrl)
    .then(async (response) => target.safeParse(await response.json()))
    .catch(() => undefined);
  return found?.data?.[0]?.webSocketDebuggerUrl;
};

/** Closes the inspector of the process, so that the next one finds its port free. */
const letGo = async ({ call, close }: Inspector): Promise<void> => {
  const expression = `setTimeout(() => process.getBuiltinModule('node:inspector').close(), 100)`;
  await call('Runtime.evaluate', { expression });
  close();
  await until(async () => (await inspected()) === undefined, 'the inspector to close');
};

/** Watches where a Node process spends its time, for so many ms. */
export const cpuProfileOf = async (pid: number, forMs: number): Promise<CpuProfile> => {
  process.kill(pid, 'SIGUSR1');
  let url: string | undefined;
  await until(async () => (url = await inspected()) !== undefined, `the inspector of process ${pid}`);
  const inspector = await open(url ?? '');
  await inspector.call('Profiler.enable');
  await inspector.call('Profiler.setSamplingInterval', { interval: samplingMicros });
  await inspector.call('Profiler.start');
  await new Promise((resolve) => setTimeout(resolve, forMs));
  const taken = z.object({ profile }).parse(await inspector.call('Profiler.stop'));
  await letGo(inspector);
  return taken.profile;
};
