import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execute } from '../../deploy/local/cache.ts';

const root = resolve(import.meta.dirname, '../..');

/** The last commit whose services know no bundles (D-39), no packed records (D-57), no operators (D-40) and no hash in place of a token (D-18). */
const commit = '9e48e272114aa0bc125ca78afb8a22d687b0ede8';

/** Services of an earlier release. */
export interface Release {
  /** The entry file of a service. */
  entryOf(service: string): string;
  /** What its services need in their environment that today's do not. */
  envOf(service: string): Record<string, string>;
}

/** Whether the repository has the earlier release: a shallow clone has not. */
export const hasPreviousRelease = (): Promise<boolean> =>
  execute('git', ['-C', root, 'cat-file', '-e', commit]).then(
    () => true,
    () => false,
  );

/** Writes the earlier release into a folder; resolves to where it is. */
export const archivePreviousRelease = async (folder: string): Promise<string> => {
  const [archive, checkout] = [join(folder, 'release.tar'), join(folder, 'release')];
  mkdirSync(checkout, { recursive: true });
  await execute('git', ['-C', root, 'archive', '--output', archive, commit]);
  await execute('tar', ['-xf', archive, '-C', checkout]);
  return checkout;
};

/** Writes the earlier release into a folder, as a checkout beside this one; `catalog` is the folder that today's services read. */
export const writePreviousRelease = async (
  folder: string,
  { catalog, ledgerUrl }: { readonly catalog: string; readonly ledgerUrl: string },
): Promise<Release> => {
  const checkout = await archivePreviousRelease(folder);
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const known = join(folder, 'release-catalog');
  cpSync(catalog, known, { recursive: true });
  // The operator.
  rmSync(join(known, 'local.yaml'));
  const more: Readonly<Record<string, Record<string, string>>> = {
    settlement: { DATABASE_URL: ledgerUrl },
  };
  return {
    entryOf: (service) => join(checkout, 'services', service, 'main.ts'),
    envOf: (service) => ({ CATALOG_DIR: known, ...more[service] }),
  };
};
