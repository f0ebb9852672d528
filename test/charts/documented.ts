import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cases, renderWith, root } from './renders.ts';

const install = () => readFileSync(join(root, 'charts/gsb/INSTALL.md'), 'utf8');

/** The site of INSTALL.md, and what a paragraph says to write instead, by its first words. */
const sites = (document: string): Map<string, string[]> => {
  const [, site = ''] = /```yaml\n# site\.yaml\n([\s\S]*?)```/.exec(document) ?? [];
  const instead = [...document.matchAll(/^\*\*(.+?)\.\*\*([\s\S]*?)\n\n/gm)].flatMap(
    ([, title = '', text = '']) =>
      [...text.matchAll(/`((?:kafka|redis|postgres|partner): \{[\s\S]*?\})`/g)].map(
        ([, values = '']) =>
          [`${title}: ${values}`, [site, values.replace(', …]', ']')]] as [string, string[]],
      ),
  );
  return new Map([['site.yaml', [site]], ...instead]);
};

const chartFile = (name: string) => join(root, 'charts/gsb', name);

/** The values that INSTALL.md tells a site to write, on the files that it tells to install with: each renders in live. */
export const documented = async (): Promise<string[]> => {
  const [live] = cases().filter(({ name }) => name === 'live');
  const document = install();
  const [, named = ''] =
    /helm install gsb charts\/gsb --namespace gsb (--values \S+live\.yaml[\s\S]*?)--wait/.exec(document) ??
    [];
  const files = [...named.matchAll(/charts\/gsb\/(\S+\.yaml)/g)].map(([, file = '']) => chartFile(file));
  const dir = mkdtempSync(join(tmpdir(), 'gsb-documented-'));
  try {
    const results = await Promise.allSettled(
      [...sites(document)].map(async ([name, texts], at) => {
        const written = texts.map((text, part) => {
          const file = join(dir, `${at}-${part}.yaml`);
          writeFileSync(file, text);
          return file;
        });
        if (live === undefined || files.length < 2)
          throw new Error('INSTALL.md installs live without values');
        await renderWith({ ...live, name, values: [...files, ...written] }, []);
      }),
    );
    return results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  } finally {
    rmSync(dir, { recursive: true });
  }
};
