import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  makeInformer,
  setHeaderOptions,
} from '@kubernetes/client-node';
import type { KubernetesListObject, KubernetesObject, V1SecretList } from '@kubernetes/client-node';
import { withDeadline } from '#libs/runtime/wait.ts';
import { listPages, pageSize } from './list-pages.ts';

const deadlineMs = 5_000;
const group = { group: 'gsb.dev', version: 'v1' } as const;
const launcherKeyLabel = 'gsb.dev/launcher-key=true';

/** Settles as `answer` does, or rejects after five seconds. */
export const withTimeout = <T>(answer: Promise<T>): Promise<T> =>
  withDeadline(answer, deadlineMs, () => new Error('the Kubernetes API did not answer in time'));

const pageAfter = (token: string | undefined) => ({
  limit: pageSize,
  ...(token !== undefined && { _continue: token }),
});

/** A client of the Kubernetes API, by KUBECONFIG or the pod's service account; `configuredNamespace` overrides the namespace found there. */
export const connectKubernetes = (configuredNamespace?: string) => {
  const config = new KubeConfig();
  config.loadFromDefault();
  const namespace =
    configuredNamespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
  const custom = config.makeApiClient(CustomObjectsApi);
  const core = config.makeApiClient(CoreV1Api);
  const pathOf = (plural: 'games' | 'operators') => ({ ...group, plural, namespace });
  const gamesPath = pathOf('games');
  const watch = (plural: 'games' | 'operators') => {
    const list = () =>
      listPages<KubernetesObject, KubernetesListObject<KubernetesObject>>(async (token) => {
        const found: unknown = await withTimeout(
          custom.listNamespacedCustomObject({ ...pathOf(plural), ...pageAfter(token) }),
        );
        return found as KubernetesListObject<KubernetesObject>;
      });
    return makeInformer(config, `/apis/gsb.dev/v1/namespaces/${namespace}/${plural}`, list);
  };
  const listKeys = () =>
    listPages<KubernetesObject, V1SecretList>((token) =>
      withTimeout(
        core.listNamespacedSecret({ namespace, labelSelector: launcherKeyLabel, ...pageAfter(token) }),
      ),
    );
  const mergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  return {
    ...{ namespace, custom, core, pathOf, gamesPath },
    /** How to open the informer of each kind. */
    informers: {
      Game: () => watch('games'),
      Operator: () => watch('operators'),
      Secret: () =>
        makeInformer(config, `/api/v1/namespaces/${namespace}/secrets`, listKeys, launcherKeyLabel),
    },
    setStatus: (name: string, status: unknown) =>
      withTimeout(
        custom.patchNamespacedCustomObjectStatus({ ...gamesPath, name, body: { status } }, mergePatch),
      ),
  };
};
