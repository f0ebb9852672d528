import { z } from 'zod';

/** Where games and keys come from: the YAML files of CATALOG_DIR, or the Kubernetes API (CATALOG_NAMESPACE, by default the pod's own). */
export const catalogSettings = {
  CATALOG: z.enum(['folder', 'kubernetes']).default('folder'),
  CATALOG_DIR: z.string().optional(),
  CATALOG_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the name of a namespace')
    .optional(),
};

/** The part of a configuration that `catalogSettings` describes. */
export type CatalogConfig = z.output<z.ZodObject<typeof catalogSettings>>;

const refuseMissingFolder = (config: unknown, ctx: z.RefinementCtx): void => {
  const { CATALOG = 'folder', CATALOG_DIR } = config as Partial<CatalogConfig>;
  if (CATALOG === 'folder' && CATALOG_DIR === undefined)
    ctx.addIssue({ code: 'custom', path: ['CATALOG_DIR'], message: 'is not set' });
};

/** Adds a check to a schema with `catalogSettings`: CATALOG_DIR is required when CATALOG is `folder`. */
export const withCatalog = <S extends z.ZodObject<typeof catalogSettings & z.ZodRawShape>>(schema: S): S =>
  schema.check(z.superRefine(refuseMissingFolder, { when: () => true }));
