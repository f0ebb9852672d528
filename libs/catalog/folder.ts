import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { Log } from '#libs/runtime/log.ts';
import type { Part } from '#libs/runtime/service.ts';
import { catalogObject } from './objects.ts';
import type { CatalogObject } from './objects.ts';

const lookEveryMs = 2_000;

const yamlFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name));

const fingerprint = async (files: readonly string[]): Promise<string> => {
  const each = files.map(async (file) => {
    const { mtimeMs, size } = await stat(file);
    return `${file} ${mtimeMs} ${size}`;
  });
  return (await Promise.all(each)).join('\n');
};

const readFileObjects = async (file: string): Promise<CatalogObject[]> => {
  try {
    const documents = parseAllDocuments(await readFile(file, 'utf8'));
    return documents.map((document) => catalogObject.parse(document.toJS()));
  } catch (error) {
    const what = error instanceof z.ZodError ? z.prettifyError(error) : 'is not YAML';
    throw new Error(`${file}: ${what}`, { cause: error });
  }
};

/**
 * Games and keys from the YAML files of a folder, looked at every two seconds: a change is live in every replica within ten. A file
 * that cannot be read on start is an error; later it is said, and what was known stays.
 */
export const watchFolder = (folder: string, log: Log): Part & { objects(): readonly CatalogObject[] } => {
  let objects: readonly CatalogObject[] = [];
  let seen = '';
  let timer: NodeJS.Timeout | undefined;
  const load = async (): Promise<void> => {
    const files = await yamlFiles(folder);
    const now = await fingerprint(files);
    if (now === seen) return;
    objects = (await Promise.all(files.map(readFileObjects))).flat();
    seen = now;
    log.info({ count: objects.length }, 'catalogue loaded');
  };
  const look = () => {
    load()
      .catch((error: unknown) =>
        log.error({ error }, 'the catalogue could not be read; what was known stays'),
      )
      .finally(() => {
        if (timer !== undefined) timer = setTimeout(look, lookEveryMs);
      });
  };
  return {
    name: 'catalogue',
    objects: () => objects,
    start: async () => {
      await load();
      timer = setTimeout(look, lookEveryMs);
    },
    stop: async () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
};
