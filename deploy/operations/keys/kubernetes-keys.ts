import type { KubernetesObject } from '@kubernetes/client-node';
import type { z } from 'zod';
import type { gameObject, launcherKeyObject } from '#libs/catalog/catalog-objects.ts';
import { connectKubernetes, withTimeout } from '#libs/catalog/kubernetes-api.ts';

/** A Game, as the Kubernetes API takes it. */
export type GameManifest = z.input<typeof gameObject> & KubernetesObject;
/** A launcher key's Secret, as the Kubernetes API takes it. */
export type LauncherKeyManifest = z.input<typeof launcherKeyObject>;

/** Reads and writes Games and launcher keys by the Kubernetes API; each call rejects after five seconds. */
export const connectKeys = (configuredNamespace?: string) => {
  const { namespace, custom, core, gamesPath } = connectKubernetes(configuredNamespace);
  return {
    namespace,
    game: async (name: string) =>
      (await withTimeout(custom.getNamespacedCustomObject({ ...gamesPath, name }))) as GameManifest,
    createGame: (body: GameManifest) =>
      withTimeout(custom.createNamespacedCustomObject({ ...gamesPath, body })),
    replaceGame: (name: string, body: GameManifest) =>
      withTimeout(custom.replaceNamespacedCustomObject({ ...gamesPath, name, body })),
    createLauncherKey: (body: LauncherKeyManifest) =>
      withTimeout(core.createNamespacedSecret({ namespace, body })),
  };
};
