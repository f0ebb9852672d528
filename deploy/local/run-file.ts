import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { startOf } from './processes.ts';
import type { Print } from './progress.ts';

const oneProcess = z.object({ name: z.string(), pid: z.int(), started: z.string() });
const schema = z.object({
  pid: z.int(),
  started: z.string(),
  stopping: z.boolean().default(false),
  children: z.array(oneProcess).readonly(),
  folders: z.array(z.string()).readonly(),
});

/** A run that is not stopping yet may be about to: its terminal was closed a moment ago. */
const mayStopWithinMs = 600;
const goneWithinMs = 3_000;
const stopsWithinMs = 30_000;
const pauseMs = 100;
const isLeftover =
  /^(run\.json(\..+)?|stack\.json(\.new)?|catalog|rules|prometheus|alertmanager|(kafka|redis|sentinel|postgres)(-\d)?)$/;

type Born = { readonly pid: number; readonly started: string };
const isAlive = ({ pid, started }: Born) => startOf(pid) === started;

const killAll = (children: readonly Born[]): void => {
  for (const child of children.filter(isAlive)) process.kill(child.pid, 'SIGKILL');
};

/** Retries for 500 ms: a process that has just ended may still have written a file. */
export const removeFolder = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });

const leftovers = (dir: string): string[] =>
  existsSync(dir) ? readdirSync(dir).filter((name) => isLeftover.test(name)) : [];

/** Removes what a run keeps in its folder, except for the logs. */
export const removeLeftovers = (dir: string): void => {
  for (const name of leftovers(dir)) removeFolder(join(dir, name));
};

/** What `run.json` holds of a run, so that the next one knows whether it lives and can clean up after a kill -9. */
export interface RunFacts {
  readonly stopping: boolean;
  readonly children: readonly { readonly name: string; readonly pid: number }[];
  readonly folders: readonly string[];
}

/** A pid with its start time: the two identify a process even after the pid is used again. */
const born = (pid: number): Born => ({ pid, started: startOf(pid) ?? '' });

const writeTo = (path: string, content: Omit<z.input<typeof schema>, keyof Born>): void =>
  writeFileSync(path, JSON.stringify({ ...born(process.pid), ...content }, null, 2), { mode: 0o600 });

/** Writes `run.json` beside the old one, and renames it: when the disk is full, the old one still tells what is to be ended. */
export const writeRun = (dir: string, { children, ...facts }: RunFacts): void => {
  if (!existsSync(dir)) return;
  const path = join(dir, 'run.json');
  writeTo(`${path}.new`, { ...facts, children: children.map(({ name, pid }) => ({ name, ...born(pid) })) });
  renameSync(`${path}.new`, path);
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

type Left = z.output<typeof schema> | undefined;

/** A run that wrote what cannot be read is gone, and nobody knows what it left. */
const unreadable = { pid: 0, started: 'unreadable', stopping: false, children: [], folders: [] };

const readRunFrom = (path: string): Left => {
  if (!existsSync(path)) return undefined;
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : unreadable;
  }
};

const readRun = (dir: string): Left => readRunFrom(join(dir, 'run.json'));

/** The name that of several who follow a run one alone can take. */
const turnAfter = (dir: string, { pid, started }: Born): string =>
  join(dir, `run.json.after-${pid}-${started}`);

/** The run that had a folder last: the one in `run.json`, or who took the turn after it, and has not written that down yet. */
const readLast = (dir: string): Left => {
  let last = readRun(dir);
  while (last) {
    const turn = turnAfter(dir, last);
    const next = readRunFrom(turn);
    if (next === unreadable) rmSync(turn, { force: true });
    if (next === undefined || next === unreadable) return last;
    last = next;
  }
  return undefined;
};

/**
 * Makes the folder this process's: of several that find the same run gone, one alone. What that run left is in the new `run.json` too, for
 * whoever comes after a kill -9. Returns whether it did.
 */
const claim = (dir: string, left: Left): boolean => {
  const [path, mine] = [join(dir, 'run.json'), join(dir, `run.json.${process.pid}`)];
  const turn = left === undefined ? path : turnAfter(dir, left);
  const { children = [], folders = [] } = left ?? {};
  writeTo(mine, { stopping: false, children: children.filter(isAlive), folders });
  try {
    // A link fails where another process was faster, and nobody ever reads half a file.
    linkSync(mine, turn);
    if (left === undefined) return true;
    // Whoever had the turn before, and gave it back, is in `run.json` by now.
    const isOurs = readLast(dir)?.pid === process.pid;
    if (isOurs) renameSync(mine, path);
    rmSync(turn, { force: true });
    return isOurs;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes(codeOf(error))) return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error))) throw error;
    // A file system without links: of several that ask in one moment the last has it.
    renameSync(mine, path);
    return true;
  } finally {
    rmSync(mine, { force: true });
  }
};

/** Removes what a run left that is gone; the folder is this process's already. */
const clear = (dir: string, left: Left): void => {
  for (const folder of left?.folders ?? []) removeFolder(folder);
  for (const name of leftovers(dir).filter((each) => each !== 'run.json')) removeFolder(join(dir, name));
  removeFolder(join(dir, 'logs'));
};

const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** Kills what is left and waits until it is gone, so that its ports are free and its folders are no longer written to. */
const endLeft = async (children: readonly Born[]): Promise<void> => {
  killAll(children);
  const giveUpAt = performance.now() + goneWithinMs;
  while (children.some(isAlive) && performance.now() < giveUpAt) await pause();
};

/** Waits until no run has the folder; resolves to what the last one left, or to the pid of one that stays. */
const outlive = async (dir: string, print: Print): Promise<{ left: Left } | { livesAs: number }> => {
  const began = performance.now();
  let isReported = false;
  for (;;) {
    const left = readLast(dir);
    if (left === undefined || !isAlive(left)) return { left };
    if (performance.now() - began > (left.stopping ? stopsWithinMs : mayStopWithinMs))
      return { livesAs: left.pid };
    if (left.stopping && !isReported)
      print(`… waiting for the run before this one to stop (pid ${left.pid})`);
    isReported ||= left.stopping;
    await pause();
  }
};

/**
 * Takes a folder for a run of this process, after waiting for a run that is stopping. What a killed run has left behind is ended and
 * removed; a pid that another process has now is left alone. Resolves to the pid of the run that lives there, if one does.
 */
export const takeOver = async (dir: string, print: Print): Promise<number | undefined> => {
  mkdirSync(dir, { recursive: true });
  for (;;) {
    const found = await outlive(dir, print);
    if ('livesAs' in found) return found.livesAs;
    await endLeft(found.left?.children ?? []);
    if (claim(dir, found.left)) {
      clear(dir, found.left);
      return undefined;
    }
    await pause();
  }
};

/** Ends the runs of the folders in a folder, whoever has them: each one's process first, so that it starts nothing any more. */
export const endRunsIn = async (dir: string): Promise<void> => {
  const dirs = readdirSync(dir).map((name) => join(dir, name));
  const runs = () => dirs.flatMap((each) => readRun(each) ?? []);
  await endLeft(runs().filter(({ pid }) => pid !== process.pid));
  const left = runs();
  await endLeft(left.flatMap(({ children }) => children));
  for (const folder of left.flatMap(({ folders }) => folders)) removeFolder(folder);
};
