import type { CatalogConfig } from '#libs/runtime/catalog-settings.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { watchFolder } from './folder-catalog.ts';
import type { CatalogObject } from './catalog-objects.ts';

/** Objects of a catalogue that is kept up to date. */
export type CatalogSource = Component & { objects(): readonly CatalogObject[] };

/** What a service reads of the catalogue, and whether it writes the Games' status. */
export interface CatalogUse {
  readonly launcherKeys: boolean;
  readonly writesStatus: boolean;
  readonly log: Log;
}

const none: readonly CatalogObject[] = [];

/** The client of the Kubernetes API is loaded only where it is used: it takes a second and 30 MB. */
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

/** The catalogue that the environment names: a folder of YAML files, or the Kubernetes API. */
export const openObjects = (config: CatalogConfig, use: CatalogUse): CatalogSource =>
  config.CATALOG === 'kubernetes'
    ? fromKubernetes(config.CATALOG_NAMESPACE, use)
    : watchFolder(config.CATALOG_DIR ?? '', use.log);
