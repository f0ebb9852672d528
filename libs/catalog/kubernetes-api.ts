import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  makeInformer,
  setHeaderOptions,
} from '@kubernetes/client-node';
import type { KubernetesListObject, KubernetesObject } from '@kubernetes/client-node';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { gameObject, launcherKeyObject } from './catalog-objects.ts';
import type { z } from 'zod';

const deadlineMs = 5_000;
const games = { group: 'gsb.dev', version: 'v1', plural: 'games' } as const;
const launcherKeyLabel = 'gsb.dev/launcher-key=true';

type Manifest<S extends z.ZodType> = z.input<S> & KubernetesObject;
/** A Game, as the Kubernetes API takes it. */
export type GameManifest = Manifest<typeof gameObject>;
/** A launcher key's Secret, as the Kubernetes API takes it. */
export type LauncherKeyManifest = z.input<typeof launcherKeyObject>;

const withTimeout = <T>(answer: Promise<T>): Promise<T> =>
  withDeadline(answer, deadlineMs, () => new Error('the Kubernetes API did not answer in time'));

/** The API leaves `kind` out of the items of a list. */
const withKind = (kind: string, list: KubernetesListObject<KubernetesObject>) => ({
  ...list,
  items: list.items.map((item) => ({ ...item, kind })),
});

/** A client of the Kubernetes API, by KUBECONFIG or the pod's service account; `configuredNamespace` overrides the namespace found there. */
export const connectKubernetes = (configuredNamespace?: string) => {
  const config = new KubeConfig();
  config.loadFromDefault();
  const namespace =
    configuredNamespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
  const custom = config.makeApiClient(CustomObjectsApi);
  const core = config.makeApiClient(CoreV1Api);
  const gamesPath = { ...games, namespace };
  const listGames = async () =>
    (await withTimeout(
      custom.listNamespacedCustomObject(gamesPath),
    )) as KubernetesListObject<KubernetesObject>;
  const listKeys = async () =>
    withKind(
      'Secret',
      await withTimeout(core.listNamespacedSecret({ namespace, labelSelector: launcherKeyLabel })),
    );
  const mergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  return {
    namespace,
    games: () => makeInformer(config, `/apis/gsb.dev/v1/namespaces/${namespace}/games`, listGames),
    launcherKeys: () =>
      makeInformer(config, `/api/v1/namespaces/${namespace}/secrets`, listKeys, launcherKeyLabel),
    game: async (name: string) =>
      (await withTimeout(custom.getNamespacedCustomObject({ ...gamesPath, name }))) as GameManifest,
    createGame: (body: GameManifest) =>
      withTimeout(custom.createNamespacedCustomObject({ ...gamesPath, body })),
    replaceGame: (name: string, body: GameManifest) =>
      withTimeout(custom.replaceNamespacedCustomObject({ ...gamesPath, name, body })),
    setStatus: (name: string, status: unknown) =>
      withTimeout(
        custom.patchNamespacedCustomObjectStatus({ ...gamesPath, name, body: { status } }, mergePatch),
      ),
    createLauncherKey: (body: LauncherKeyManifest) =>
      withTimeout(core.createNamespacedSecret({ namespace, body })),
  };
};

/** The client that `connectKubernetes` returns. */
export type KubernetesApi = ReturnType<typeof connectKubernetes>;
