import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

/** A run that is not stopping yet may be about to: its terminal was closed a moment ago. */
const mayStopWithinMs = 600;
const goneWithinMs = 3_000;
const stopsWithinMs = 30_000;
const pauseMs = 100;
const isLeftover =
  /^(run\.json|stack\.json|catalog|prometheus|alertmanager|(kafka|redis|sentinel|postgres)(-\d)?)$/;

type Born = { readonly pid: number; readonly started: string };
const isAlive = ({ pid, started }: Born) => startOf(pid) === started;

const killAll = (children: readonly Born[]): void => {
  for (const child of children.filter(isAlive)) process.kill(child.pid, 'SIGKILL');
};

/** Retries for 500 ms: a process that has just ended may still have written a file. */
export const removeFolder = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });

/** Removes what a run keeps in its folder, except for the logs. */
export const removeLeftovers = (dir: string): void => {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  for (const name of names.filter((each) => isLeftover.test(each))) removeFolder(join(dir, name));
};

/** What `run.json` holds of a run, so that the next one knows whether it lives and can clean up after a kill -9. */
export interface RunFacts {
  readonly stopping: boolean;
  readonly children: readonly { readonly name: string; readonly pid: number }[];
  readonly folders: readonly string[];
}

/** Writes `run.json`. Each pid has its start time beside it: the two identify a process even after the pid is used again. */
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

/** The pid of the run that lives in a folder, if any. What a killed run has left behind is ended and removed; a pid that another process has now is left alone. */
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

/** Kills what is left and waits until it is gone, so that its ports are free and its folders are no longer written to. */
const clearWholly = async (dir: string, children: readonly Born[]): Promise<undefined> => {
  killAll(children);
  const giveUpAt = performance.now() + goneWithinMs;
  while (children.some(isAlive) && performance.now() < giveUpAt) await pause();
  clearStale(dir);
};

/** As `clearStale`, after waiting for a run that is stopping. */
export const takeOver = async (dir: string, print: Print): Promise<number | undefined> => {
  const began = performance.now();
  let isReported = false;
  for (;;) {
    const left = readRun(dir);
    if (left === undefined || !isAlive(left)) return clearWholly(dir, left?.children ?? []);
    if (performance.now() - began > (left.stopping ? stopsWithinMs : mayStopWithinMs)) return left.pid;
    if (left.stopping && !isReported)
      print(`… waiting for the run before this one to stop (pid ${left.pid})`);
    isReported ||= left.stopping;
    await pause();
  }
};
