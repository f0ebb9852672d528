import type { CatalogConfig } from '#libs/runtime/catalog-settings.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { watchFolder } from './folder-catalog.ts';
import type { CatalogObject } from './catalog-objects.ts';

/** The objects of a catalog, kept up to date while the component runs. */
export type CatalogSource = Component & { objects(): readonly CatalogObject[] };

/** What a service reads from the catalog, and whether it writes the status of Games (D-32). */
export interface CatalogUse {
  readonly launcherKeys: boolean;
  readonly writesStatus: boolean;
  readonly log: Log;
}

const none: readonly CatalogObject[] = [];

/** The Kubernetes client is imported only where it is used: loading it takes a second and 30 MB. */
const fromKubernetes = (namespace: string | undefined, use: CatalogUse): CatalogSource => {
  let watched: CatalogSource | undefined;
  return {
    name: 'catalogue',
    objects: () => watched?.objects() ?? none,
    start: async (fatal) => {
      const { watchKubernetes } = await import('./kubernetes-catalog.ts');
      watched = watchKubernetes({ ...use, namespace });
      await watched.start(fatal);
    },
    stop: async () => watched?.stop(),
  };
};

/** The catalog that the configuration names: a folder of YAML files, or the Kubernetes API. */
export const openObjects = (config: CatalogConfig, use: CatalogUse): CatalogSource =>
  config.CATALOG === 'kubernetes'
    ? fromKubernetes(config.CATALOG_NAMESPACE, use)
    : watchFolder(config.CATALOG_DIR ?? '', use.log);
