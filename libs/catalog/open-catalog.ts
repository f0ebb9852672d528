import type { CatalogConfig } from '#libs/runtime/catalog-settings.ts';
import { watchFolder } from './folder-catalog.ts';
import type { CatalogObject, CatalogSource, CatalogUse } from './catalog-objects.ts';

const none: readonly CatalogObject[] = [];

/** The Kubernetes client is imported only where it is used: loading it takes a second and 30 MB. */
const fromKubernetes = (namespace: string | undefined, use: CatalogUse): CatalogSource => {
  let watched: CatalogSource | undefined;
  return {
    name: 'catalogue',
    objects: () => watched?.objects() ?? none,
    refused: () => watched?.refused() ?? {},
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
