import { z } from 'zod';

/** Where games and keys are read from: the YAML files of CATALOG_DIR, or the Kubernetes API (its namespace is the pod's unless said). */
export const catalogSettings = {
  CATALOG: z.enum(['folder', 'kubernetes']).default('folder'),
  CATALOG_DIR: z.string().optional(),
  CATALOG_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the name of a namespace')
    .optional(),
};

/** The catalogue's share of a configuration. */
export type CatalogConfig = z.output<z.ZodObject<typeof catalogSettings>>;

const refuseMissingFolder = (config: unknown, ctx: z.RefinementCtx): void => {
  const { CATALOG = 'folder', CATALOG_DIR } = config as Partial<CatalogConfig>;
  if (CATALOG === 'folder' && CATALOG_DIR === undefined)
    ctx.addIssue({ code: 'custom', path: ['CATALOG_DIR'], message: 'is not set' });
};

/** Makes a schema with `catalogSettings` refuse a folder that is not named. */
export const withCatalog = <S extends z.ZodObject<typeof catalogSettings & z.ZodRawShape>>(schema: S): S =>
  schema.check(z.superRefine(refuseMissingFolder, { when: () => true }));
