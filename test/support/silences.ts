import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { StackFacts } from '#simulators/stack-file.ts';
import type { FailedCall } from './keep-visiting.ts';

const everyMs = 50;
/** Long enough for a command of Redis to be given up, which may have been sent between two questions of ours. */
const silentFromMs = 400;
/** A service that says nothing for so long is not waited for any more. */
const longestMs = 5_000;

/** When somebody who is up gave no answer, in ms of this process's monotonic clock. */
export interface Silence {
  readonly who: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whether the address is up: one at which nobody listens keeps nobody waiting. */
const isAlive = (ops: string): Promise<boolean> =>
  fetch(`${ops}/health/live`, { signal: AbortSignal.timeout(longestMs) }).then(
    () => true,
    (error: unknown) => (error as { readonly name?: unknown }).name === 'TimeoutError',
  );

/**
 * Asks each Redis and each process of the stack again and again while something is done; resolves to its result, and to when one of them was
 * silent for too long. A machine that has no core for who is asked makes it silent, and so may have made it give up what had come for it (D-23):
 * whoever asked it then is answered 503, whatever else is done meanwhile.
 */
export const silencesDuring = async <T>(
  { redis: { url, cluster }, processes }: StackFacts,
  work: () => Promise<T>,
): Promise<{ done: T; silences: Silence[] }> => {
  const servers = (cluster?.map((address) => `redis://${address}`) ?? [url]).map((at) => new Redis(at));
  const silences: Silence[] = [];
  let over = false;
  const asking = async (who: string, ask: () => Promise<boolean>): Promise<void> => {
    while (!over) {
      const fromMs = performance.now();
      const isUp = await ask();
      const toMs = performance.now();
      if (isUp && toMs - fromMs >= silentFromMs) silences.push({ who, fromMs, toMs });
      await pause(everyMs);
    }
  };
  const all = [
    ...servers.map((redis) => asking('redis', () => redis.ping().then(() => true))),
    ...processes.map(({ service, replica, ops }) => asking(replica ?? service, () => isAlive(ops))),
  ];
  try {
    return { done: await work(), silences };
  } finally {
    over = true;
    await Promise.all(all).finally(() => servers.forEach((redis) => redis.disconnect()));
  }
};

/** Whose silence a call can hear as 503, beside that of Redis. */
const worksOn: Readonly<Record<string, readonly string[]>> = {
  start: ['launcher-gateway', 'billing-adapter'],
  token: ['launcher-gateway', 'ott'],
  verify: ['game-session', 'ott', 'billing-adapter'],
  heartbeat: ['game-session'],
  end: ['game-session'],
  'launcher heartbeat': ['launcher-gateway'],
  'launcher end': ['launcher-gateway'],
};

const isHeardIn = ({ what, fromMs, toMs }: FailedCall, silence: Silence): boolean =>
  ['redis', ...(worksOn[what] ?? [])].some((name) => silence.who.startsWith(name)) &&
  silence.fromMs < toMs &&
  silence.toMs > fromMs;

/** What failed by more than the silence of somebody who had no core. */
export const notBySilence = (failed: readonly FailedCall[], silences: readonly Silence[]): FailedCall[] =>
  failed.filter((call) => call.status !== 503 || !silences.some((silence) => isHeardIn(call, silence)));
