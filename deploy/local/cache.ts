import { execFile } from 'node:child_process';
import type { ChildProcess, ExecFileOptions } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const running = new Set<ChildProcess>();
const unfinished = new Set<string>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of unfinished) rmSync(folder, { recursive: true, force: true });
});

/** Runs a program to its end and resolves to its output; it is killed when this process exits. Rejects when it fails. */
export const execute = async (
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<{ stdout: string; stderr: string }> => {
  const ended = run(program, args, { ...options, encoding: 'utf8' });
  running.add(ended.child);
  try {
    return await ended;
  } finally {
    running.delete(ended.child);
  }
};

/** The folder of downloads, shared by all checkouts. */
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

/** A folder of the cache, filled when it is missing; it appears whole or not at all. */
export const cached = async (name: string, fill: (folder: string) => Promise<void>): Promise<string> => {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  const building = `${folder}.${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  unfinished.add(building);
  try {
    await fill(building);
    if (!existsSync(folder)) renameSync(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
    unfinished.delete(building);
  }
  return folder;
};
