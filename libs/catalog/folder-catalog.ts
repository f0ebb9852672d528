import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#libs/runtime/log.ts';
import { findConflicts } from './unique-claims.ts';
import type { CatalogObject, CatalogSource } from './catalog-objects.ts';
import { readObjects } from './read-catalog-file.ts';

const defaultPollMs = 2_000;

/** A file as it was last read; `fingerprint` changes with the file. */
interface FileRead {
  readonly fingerprint: string;
  readonly objects: readonly CatalogObject[];
}
type Files = ReadonlyMap<string, FileRead>;

/** The YAML files of a folder. In a mounted Kubernetes volume they are links through `..data`, which is not a YAML file itself. */
const yamlFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name));

const readFile = async (file: string, before: FileRead | undefined): Promise<FileRead> => {
  const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  const fingerprint = [ino, size, mtimeNs, ctimeNs].join(' ');
  return before?.fingerprint === fingerprint ? before : { fingerprint, objects: await readObjects(file) };
};

const isGone = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A file that cannot be read keeps its last content; a file that was deleted after the folder was listed is left out. */
const readOrKeep = async (file: string, before: FileRead | undefined) => {
  try {
    return { read: await readFile(file, before) };
  } catch (error) {
    return isGone(error) ? {} : { read: before, problem: messageOf(error) };
  }
};

const readFolder = async (folder: string, known: Files): Promise<{ files: Files; problems: string[] }> => {
  const files = new Map<string, FileRead>();
  const problems: string[] = [];
  for (const file of await yamlFiles(folder)) {
    const { read, problem } = await readOrKeep(file, known.get(file));
    if (read !== undefined) files.set(file, read);
    if (problem !== undefined) problems.push(problem);
  }
  // Fewer files because the whole folder is gone is no deletion: listing it again throws then, and the last content stays.
  if (files.size < known.size) await readdir(folder);
  return { files, problems };
};

const differ = (a: Files, b: Files) =>
  a.size !== b.size || [...a].some(([file, read]) => b.get(file) !== read);

/** Loads changed files and resolves to the problems found. Conflicting files change nothing; an unreadable file does not stop the others. */
const createLoader = (folder: string, log: Log) => {
  let known: Files = new Map();
  let objects: readonly CatalogObject[] = [];
  const load = async (): Promise<string[]> => {
    const { files, problems } = await readFolder(folder, known);
    const clashes = findConflicts([...files].map(([file, read]) => [file, read.objects]));
    if (clashes.length === 0 && differ(files, known)) {
      known = files;
      objects = [...files.values()].flatMap((read) => read.objects);
      log.info({ count: objects.length }, 'catalogue loaded');
    }
    return [...problems, ...clashes];
  };
  return { objects: () => objects, load };
};

/**
 * Games and keys from the YAML files of a folder, polled every two seconds, so that a change is live in every replica within ten seconds.
 * `start` rejects with the name of an unreadable file; later problems are logged once, and the last readable content stays.
 */
export const watchFolder = (folder: string, log: Log, pauseMs = defaultPollMs): CatalogSource => {
  const { objects, load } = createLoader(folder, log);
  let problems: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> = Promise.resolve();
  const poll = async (): Promise<void> => {
    const found = await load().catch((error: unknown) => [messageOf(error)]);
    const [now, before] = [found.join('\n'), problems.join('\n')];
    if (now !== before && now !== '')
      log.error({ error: new Error(now) }, 'the catalogue could not be read; what was known stays');
    if (now !== before && now === '') log.info({}, 'the catalogue can be read again');
    problems = found;
    if (timer !== undefined) schedulePoll();
  };
  const schedulePoll = () => {
    timer = setTimeout(() => {
      polling = poll();
    }, pauseMs);
  };
  return {
    name: 'catalogue',
    objects,
    refused: () => ({ file: problems.length }),
    start: async () => {
      const found = await load();
      if (found.length > 0) throw new Error(found.join('\n'));
      schedulePoll();
    },
    stop: async () => {
      clearTimeout(timer);
      timer = undefined;
      await polling;
    },
  };
};
