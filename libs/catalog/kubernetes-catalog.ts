import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { validateObjects } from './cluster-objects.ts';
import type { ClusterObject, Validation } from './cluster-objects.ts';
import { createStatusWriter } from './game-status.ts';
import { connectKubernetes } from './kubernetes-api.ts';
import type { CatalogObject } from './catalog-objects.ts';
import { keepWatching } from './kubernetes-watch.ts';
import type { Watcher } from './kubernetes-watch.ts';

const pauseMs = 50;

/** What of a namespace is watched. */
export interface KubernetesOptions {
  /** That of the pod unless said. */
  readonly namespace?: string | undefined;
  /** Whether the launcher keys are read too: their Secrets are for the gateway alone. */
  readonly launcherKeys: boolean;
  /** Whether we write into each Game that it is in force (D-32). */
  readonly writesStatus: boolean;
  readonly log: Log;
  readonly resyncMs?: number;
}

const asKind = (kind: string, watcher: Watcher | undefined): ClusterObject[] =>
  (watcher?.list() ?? []).map((object) => ({ ...object, kind }));

/** Says what is refused, once. */
const createRefusalLog = (log: Log) => {
  let said = '';
  return ({ refused }: Validation) => {
    const now = [...refused].map(([name, problem]) => `${name}: ${problem}`).join('\n');
    if (now !== said && now !== '')
      log.error(
        { error: new Error(now) },
        'objects of the catalogue are refused; what was known of them stays',
      );
    said = now;
  };
};

/** Many changes at once are read once. */
const debounced = (work: () => void) => {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      work();
    }, pauseMs).unref();
  };
};

/**
 * Games and launcher keys from a namespace of the Kubernetes API, by watching: a change is live within seconds. Starts when everything has
 * been listed once; from then on what is known stays, whatever becomes of the API.
 */
export const watchKubernetes = (
  options: KubernetesOptions,
): Component & { objects(): readonly CatalogObject[] } => {
  const { namespace, launcherKeys, writesStatus, log, resyncMs } = options;
  let taken: Validation = { accepted: new Map(), refused: new Map() };
  let objects: readonly CatalogObject[] = [];
  let watchers: readonly Watcher[] = [];
  const complain = createRefusalLog(log);
  let report: ReturnType<typeof createStatusWriter> = async () => undefined;

  const read = () => {
    const [games, keys] = watchers;
    const seen = asKind('Game', games);
    taken = validateObjects([...seen, ...asKind('Secret', keys)], taken.accepted);
    objects = [...taken.accepted.values()];
    complain(taken);
    log.info({ count: objects.length }, 'catalogue loaded');
    void report(seen, taken);
  };
  const changed = debounced(read);
  return {
    name: 'catalogue',
    objects: () => objects,
    start: async () => {
      const api = connectKubernetes(namespace);
      const nowIso = () => new Date().toISOString();
      if (writesStatus) report = createStatusWriter({ set: api.setStatus, nowIso, log });
      const common = { changed, log, ...(resyncMs !== undefined && { resyncMs }) };
      const games = keepWatching({ ...common, what: 'games', open: api.games });
      const keys = launcherKeys && keepWatching({ ...common, what: 'launcher keys', open: api.launcherKeys });
      watchers = keys ? [games, keys] : [games];
      await Promise.all(watchers.map(({ listed }) => listed));
      read();
    },
    stop: async () => {
      await Promise.all(watchers.map((watcher) => watcher.stop()));
    },
  };
};
