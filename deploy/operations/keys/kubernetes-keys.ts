import type { KubernetesObject } from '@kubernetes/client-node';
import type { z } from 'zod';
import type { gameObject, launcherKeyObject, operatorObject } from '#libs/catalog/catalog-objects.ts';
import { connectKubernetes, withTimeout } from '#libs/catalog/kubernetes-api.ts';

/** A Game, as the Kubernetes API takes it. */
export type GameManifest = z.input<typeof gameObject> & KubernetesObject;
/** An Operator, as the Kubernetes API takes it. */
export type OperatorManifest = z.input<typeof operatorObject> & KubernetesObject;
/** A launcher key's Secret, as the Kubernetes API takes it. */
export type LauncherKeyManifest = z.input<typeof launcherKeyObject> & {
  stringData: Record<string, string>;
};

/** Objects of one kind that hold keys. */
export interface KeyHolders<M> {
  readonly namespace: string;
  read(name: string): Promise<M>;
  create(body: M): Promise<unknown>;
  replace(name: string, body: M): Promise<unknown>;
}

/** Reads and writes what holds keys by the Kubernetes API; each call rejects after five seconds. */
export const connectKeys = (configuredNamespace?: string) => {
  const { namespace, custom, core, pathOf } = connectKubernetes(configuredNamespace);
  const holders = <M>(plural: Parameters<typeof pathOf>[0]): KeyHolders<M> => {
    const path = pathOf(plural);
    return {
      namespace,
      read: async (name) => (await withTimeout(custom.getNamespacedCustomObject({ ...path, name }))) as M,
      create: (body) => withTimeout(custom.createNamespacedCustomObject({ ...path, body })),
      replace: (name, body) => withTimeout(custom.replaceNamespacedCustomObject({ ...path, name, body })),
    };
  };
  return {
    namespace,
    games: holders<GameManifest>('games'),
    operators: holders<OperatorManifest>('operators'),
    createLauncherKey: (body: LauncherKeyManifest) =>
      withTimeout(core.createNamespacedSecret({ namespace, body })),
  };
};
