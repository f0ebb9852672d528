import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { startOf } from './processes.ts';
import type { Print } from './progress.ts';

const oneProcess = z.object({ name: z.string(), pid: z.int(), started: z.string() });
const schema = z.object({
  pid: z.int(),
  started: z.string(),
  stopping: z.boolean().default(false),
  children: z.array(oneProcess),
  folders: z.array(z.string()),
});

/** How long a run that nobody has asked to stop is given to hear of it: its terminal may have been closed a moment ago. */
const hearsWithinMs = 600;
const goneWithinMs = 3_000;
const stopsWithinMs = 30_000;
const pauseMs = 100;
const leftovers = ['run.json', 'stack.json', 'kafka', 'redis', 'postgres', 'catalog'];

type Born = { readonly pid: number; readonly started: string };
const isAlive = ({ pid, started }: Born) => startOf(pid) === started;

const killAll = (children: readonly Born[]): void => {
  for (const child of children.filter(isAlive)) process.kill(child.pid, 'SIGKILL');
};

/** Whoever wrote there may have ended only just now, with a file still to come. */
export const removeFolder = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });

/** Removes what a run keeps in its folder, except for the logs. */
export const removeLeftovers = (dir: string): void => {
  for (const name of leftovers) removeFolder(join(dir, name));
};

/** What a run says of itself in `run.json`, so that the next one knows whether it is there and can clear up after a kill -9. */
export interface RunFacts {
  readonly stopping: boolean;
  readonly children: readonly { readonly name: string; readonly pid: number }[];
  readonly folders: readonly string[];
}

/** Writes `run.json`; a pid is written with the moment at which it began, which makes it one process's for good. */
export const writeRun = (dir: string, { stopping, children, folders }: RunFacts): void => {
  if (!existsSync(dir)) return;
  const born = (pid: number) => ({ pid, started: startOf(pid) ?? '' });
  const listed = children.map(({ name, pid }) => ({ name, ...born(pid) }));
  const content = { ...born(process.pid), stopping, children: listed, folders };
  writeFileSync(join(dir, 'run.json'), JSON.stringify(content, null, 2), { mode: 0o600 });
};

const readRun = (dir: string) => {
  try {
    return schema.parse(JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')));
  } catch {
    return undefined;
  }
};

/** The pid of the run that lives in a folder now, if any. What a run that was killed has left behind is ended and removed: only pids that began when it wrote they did. */
export const clearStale = (dir: string): number | undefined => {
  const left = readRun(dir);
  if (left && isAlive(left)) return left.pid;
  killAll(left?.children ?? []);
  for (const folder of left?.folders ?? []) removeFolder(folder);
  removeLeftovers(dir);
  removeFolder(join(dir, 'logs'));
  return undefined;
};

const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** A moment after they are killed they are gone, their ports are free, and nobody writes into their folders any more. */
const clearWholly = async (dir: string, children: readonly Born[]): Promise<undefined> => {
  killAll(children);
  const giveUpAt = performance.now() + goneWithinMs;
  while (children.some(isAlive) && performance.now() < giveUpAt) await pause();
  clearStale(dir);
};

/** As `clearStale`; a run that is on its way out is waited for. */
export const takeOver = async (dir: string, print: Print): Promise<number | undefined> => {
  const began = performance.now();
  let said = false;
  for (;;) {
    const left = readRun(dir);
    if (left === undefined || !isAlive(left)) return clearWholly(dir, left?.children ?? []);
    if (performance.now() - began > (left.stopping ? stopsWithinMs : hearsWithinMs)) return left.pid;
    if (left.stopping && !said) print(`… waiting for the run before this one to stop (pid ${left.pid})`);
    said ||= left.stopping;
    await pause();
  }
};
