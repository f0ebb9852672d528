import type { Log } from '#libs/runtime/log.ts';
import { validateObjects } from './cluster-objects.ts';
import type { ClusterObject, Validation } from './cluster-objects.ts';
import { createStatusWriter } from './game-status.ts';
import { connectKubernetes } from './kubernetes-api.ts';
import type { CatalogObject, CatalogSource, CatalogUse } from './catalog-objects.ts';
import { keepWatching } from './kubernetes-watch.ts';
import type { Watcher } from './kubernetes-watch.ts';

const pauseMs = 50;

/** What is watched, and where: in the pod's own namespace by default. */
interface KubernetesOptions extends CatalogUse {
  readonly namespace?: string | undefined;
}

const asKind = (kind: string, watcher: Watcher | undefined): ClusterObject[] =>
  (watcher?.list() ?? []).map((object) => ({ ...object, kind }));

/** Logs refused objects when the set of them changes. */
const createRefusalLog = (log: Log) => {
  let logged = '';
  return ({ refused }: Validation) => {
    const now = [...refused].map(([name, problem]) => `${name}: ${problem}`).join('\n');
    if (now !== logged && now !== '')
      log.error(
        { error: new Error(now) },
        'objects of the catalogue are refused; what was known of them stays',
      );
    logged = now;
  };
};

/** Runs `work` once for all calls within `pauseMs`. */
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
 * Watches the Games and launcher keys of a namespace: a change is live within seconds. `start` resolves when everything has been listed
 * once; from then on the last known objects stay in force while the API is unavailable.
 */
export const watchKubernetes = (options: KubernetesOptions): CatalogSource => {
  const { namespace, launcherKeys, writesStatus, log } = options;
  let validation: Validation = { accepted: new Map(), refused: new Map() };
  let objects: readonly CatalogObject[] = [];
  let watchers: readonly Watcher[] = [];
  const logRefused = createRefusalLog(log);
  let writeStatus: ReturnType<typeof createStatusWriter> = async () => undefined;

  const read = () => {
    const [games, keys] = watchers;
    const listedGames = asKind('Game', games);
    validation = validateObjects([...listedGames, ...asKind('Secret', keys)], validation.accepted);
    objects = [...validation.accepted.values()];
    logRefused(validation);
    log.info({ count: objects.length }, 'catalogue loaded');
    void writeStatus(listedGames, validation);
  };
  const changed = debounced(read);
  return {
    name: 'catalogue',
    objects: () => objects,
    start: async () => {
      const api = connectKubernetes(namespace);
      const nowIso = () => new Date().toISOString();
      if (writesStatus) writeStatus = createStatusWriter({ set: api.setStatus, nowIso, log });
      const common = { changed, log };
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
