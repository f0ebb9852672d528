import type { Informer, KubernetesObject, ObjectCache } from '@kubernetes/client-node';
import type { Log } from '#libs/runtime/log.ts';
import { exponentialBackoffMs, sleep, withDeadline } from '#libs/runtime/wait.ts';

const startDeadlineMs = 10_000;
const resyncMs = 600_000;
const firstPauseMs = 250;
/** A change is live within five seconds of the API's return. */
const maxPauseMs = 3_000;

type OpenInformer = Informer<KubernetesObject> & ObjectCache<KubernetesObject>;

/** One kind of object, how to watch it, and who is told that its list is another one. */
export interface WatcherOptions {
  readonly what: string;
  readonly open: () => OpenInformer;
  readonly changed: () => void;
  readonly log: Log;
  /** After so long everything is listed anew, in ms. */
  readonly resyncMs?: number;
}

/** Objects that are kept up to date; what was known stays while the API is away. */
export interface Watcher {
  list(): readonly KubernetesObject[];
  /** Resolves when the objects have been listed for the first time. */
  readonly listed: Promise<unknown>;
  stop(): Promise<void>;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Says once that the API is away, and once that it is back. */
const createAvailabilityLog = ({ what, log }: WatcherOptions) => {
  let said = '';
  return {
    away: (error: unknown) => {
      if (messageOf(error) === said) return;
      said = messageOf(error);
      log.warn({ error, what }, 'the Kubernetes API does not answer; what was known stays');
    },
    back: () => {
      if (said !== '') log.info({ what }, 'the Kubernetes API answers again');
      said = '';
    },
  };
};

/**
 * One life of an informer: until it fails, or everything is to be listed anew. It restarts a watch that merely ended, and lists anew after
 * 410 Gone, by itself. Rejects with what went wrong.
 */
const watchUntilFailure = async (
  informer: OpenInformer,
  on: { readonly listed: () => void; readonly changed: () => void },
  { signal, resyncAfterMs }: { signal: AbortSignal; resyncAfterMs: number },
): Promise<void> => {
  let isListed = false;
  const failed = new Promise<never>((_, reject) => informer.on('error', reject));
  informer.on('change', () => isListed && !signal.aborted && on.changed());
  try {
    const tooLate = () => new Error('no answer in time');
    await Promise.race([failed, withDeadline(informer.start(), startDeadlineMs, tooLate)]);
    isListed = true;
    on.listed();
    await Promise.race([failed, sleep(resyncAfterMs, signal)]);
  } finally {
    failed.catch(() => undefined);
    isListed = false;
    await informer.stop();
  }
};

/** Keeps watching until it is stopped, with a growing pause after each failure. */
export const keepWatching = (options: WatcherOptions): Watcher => {
  const { open, changed, resyncMs: resyncAfterMs = resyncMs } = options;
  const ending = new AbortController();
  const voice = createAvailabilityLog(options);
  const first = Promise.withResolvers<undefined>();
  let current: OpenInformer | undefined;
  let attempt = 0;
  const once = async (): Promise<void> => {
    const informer = open();
    const listed = () => {
      attempt = 0;
      current = informer;
      voice.back();
      first.resolve(undefined);
      changed();
    };
    await watchUntilFailure(informer, { listed, changed }, { signal: ending.signal, resyncAfterMs });
  };
  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const error: unknown = await once().then(
        () => undefined,
        (reason: unknown) => reason ?? 'closed',
      );
      if (error === undefined || ending.signal.aborted) continue;
      voice.away(error);
      await sleep(exponentialBackoffMs(attempt, firstPauseMs, maxPauseMs), ending.signal);
      attempt += 1;
    }
  };
  const running = run();
  return {
    list: () => current?.list() ?? [],
    listed: first.promise,
    stop: async () => {
      ending.abort();
      await running;
    },
  };
};
