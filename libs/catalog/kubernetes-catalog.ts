import type { KubernetesObject } from '@kubernetes/client-node';
import type { Log } from '#libs/runtime/log.ts';
import { refusedByKind, validateObjects } from './cluster-objects.ts';
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

type Kind = CatalogObject['kind'];

/** What logs call the objects of a kind. */
const kindNames: Readonly<Record<Kind, string>> = {
  ...{ Game: 'games', Secret: 'launcher keys', Operator: 'operators' },
};

/** An object of a list does not say its kind. The same object becomes the same one again, which has been read already. */
const named = new WeakMap<KubernetesObject, ClusterObject>();
const withKind = (kind: Kind, object: KubernetesObject): ClusterObject => {
  const known = named.get(object) ?? { ...object, kind };
  named.set(object, known);
  return known;
};

const listedOf = (watchers: ReadonlyMap<Kind, Watcher>): ClusterObject[] =>
  [...watchers].flatMap(([kind, watcher]) => watcher.list().map((object) => withKind(kind, object)));

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
 * Watches the objects of a namespace that are of these kinds: a change is live within seconds. `start` resolves when everything has been listed
 * once; from then on the last known objects stay in force while the API is unavailable.
 */
export const watchKubernetes = (options: KubernetesOptions): CatalogSource => {
  const { namespace, kinds, writesStatus, log } = options;
  let validation: Validation = { accepted: new Map(), refused: new Map() };
  let objects: readonly CatalogObject[] = [];
  let watchers: ReadonlyMap<Kind, Watcher> = new Map();
  const logRefused = createRefusalLog(log);
  let writeStatus: ReturnType<typeof createStatusWriter> = async () => undefined;

  const read = () => {
    const listed = listedOf(watchers);
    validation = validateObjects(listed, validation.accepted);
    objects = [...validation.accepted.values()];
    logRefused(validation);
    log.info({ count: objects.length }, 'catalogue loaded');
    const games = listed.filter(({ kind }) => kind === 'Game');
    void writeStatus(games, validation);
  };
  const changed = debounced(read);
  return {
    name: 'catalogue',
    objects: () => objects,
    refused: () => refusedByKind(validation, kinds),
    start: async () => {
      const api = connectKubernetes(namespace);
      if (writesStatus) writeStatus = createStatusWriter({ set: api.setStatus, clock: Date.now, log });
      const watch = (kind: Kind) =>
        keepWatching({ changed, log, what: kindNames[kind], open: api.informers[kind] });
      watchers = new Map(kinds.map((kind) => [kind, watch(kind)]));
      await Promise.all([...watchers.values()].map(({ listed }) => listed));
      read();
    },
    stop: async () => {
      await Promise.all([...watchers.values()].map((watcher) => watcher.stop()));
    },
  };
};
