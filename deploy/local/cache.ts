import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Runs a program to its end and gives its output. Rejects when it fails. */
export const execute = promisify(execFile);

/** Where downloads are kept and found again. */
export const cacheFolder = (): string =>
  process.env['GSB_CACHE_DIR'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'gsb');

/** The path of a program, or undefined when it is not on the PATH. */
export const onPath = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

/** A folder of the cache, filled once: it appears whole or not at all. */
export const cached = async (name: string, fill: (folder: string) => Promise<void>): Promise<string> => {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  const building = `${folder}.${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  await fill(building);
  if (existsSync(folder)) rmSync(building, { recursive: true, force: true });
  else renameSync(building, folder);
  return folder;
};
