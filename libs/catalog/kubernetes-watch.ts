import type { Informer, KubernetesObject, ObjectCache } from '@kubernetes/client-node';
import type { Log } from '#libs/runtime/log.ts';
import { exponentialBackoffMs, sleep, withDeadline } from '#libs/runtime/wait.ts';

/** For all pages of a list, each of which has a deadline of its own. */
const startDeadlineMs = 20_000;
/** How often everything is listed again. */
const resyncMs = 600_000;
const firstPauseMs = 250;
/** Short enough that a change is live within five seconds after the API is back. */
const maxPauseMs = 3_000;

type OpenInformer = Informer<KubernetesObject> & ObjectCache<KubernetesObject>;

/** One kind of object (`what`, for logs), how to open its informer, and what to call when the list has changed. */
export interface WatcherOptions {
  readonly what: string;
  readonly open: () => OpenInformer;
  readonly changed: () => void;
  readonly log: Log;
}

/** Objects that are kept up to date; the last known ones stay while the API is unavailable. */
export interface Watcher {
  list(): readonly KubernetesObject[];
  /** Resolves when the objects have been listed for the first time. */
  readonly listed: Promise<unknown>;
  stop(): Promise<void>;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Logs once that the API is unavailable, and once that it is back. */
const createAvailabilityLog = ({ what, log }: WatcherOptions) => {
  let logged = '';
  return {
    unavailable: (error: unknown) => {
      if (messageOf(error) === logged) return;
      logged = messageOf(error);
      log.warn({ error, what }, 'the Kubernetes API does not answer; what was known stays');
    },
    available: () => {
      if (logged !== '') log.info({ what }, 'the Kubernetes API answers again');
      logged = '';
    },
  };
};

/**
 * Runs an informer until the next resync is due, or until it fails: then it rejects with the error. The informer itself restarts a watch
 * that ended normally, and lists again after 410 Gone.
 */
const watchUntilFailure = async (
  informer: OpenInformer,
  on: { readonly listed: () => void; readonly changed: () => void },
  signal: AbortSignal,
): Promise<void> => {
  let isListed = false;
  const failed = new Promise<never>((_, reject) => informer.on('error', reject));
  informer.on('change', () => isListed && !signal.aborted && on.changed());
  try {
    const tooLate = () => new Error('no answer in time');
    await Promise.race([failed, withDeadline(informer.start(), startDeadlineMs, tooLate)]);
    isListed = true;
    on.listed();
    await Promise.race([failed, sleep(resyncMs, signal)]);
  } finally {
    failed.catch(() => undefined);
    isListed = false;
    await informer.stop();
  }
};

/** Watches until it is stopped; after a failure it starts again with exponential backoff. */
export const keepWatching = (options: WatcherOptions): Watcher => {
  const { open, changed } = options;
  const ending = new AbortController();
  const api = createAvailabilityLog(options);
  const first = Promise.withResolvers<undefined>();
  let current: OpenInformer | undefined;
  let attempt = 0;
  const once = async (): Promise<void> => {
    const informer = open();
    const listed = () => {
      attempt = 0;
      current = informer;
      api.available();
      first.resolve(undefined);
      changed();
    };
    await watchUntilFailure(informer, { listed, changed }, ending.signal);
  };
  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const error: unknown = await once().then(
        () => undefined,
        (reason: unknown) => reason ?? 'closed',
      );
      if (error === undefined || ending.signal.aborted) continue;
      api.unavailable(error);
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
