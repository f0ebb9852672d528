import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { startOf } from './processes.ts';

const stopDeadlineMs = 12_000;

/** A process that this run started. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** SIGTERM, and SIGKILL when that takes too long. */
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

/** What to start, where its output goes, and in which wave it stops: services first, stores after. */
export interface Command {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly log: string;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly wave?: 'service' | 'store';
}

const runFile = z.object({
  pid: z.int(),
  started: z.string(),
  children: z.array(z.object({ name: z.string(), pid: z.int(), started: z.string() })),
  folders: z.array(z.string()),
});

const isAlive = ({ pid, started }: { pid: number; started: string }) => startOf(pid) === started;

const readRun = (path: string) => {
  try {
    return runFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
};

/** The pid of the run that lives in a folder now, if any. What a run that was killed has left behind is ended and removed: only pids that began when it wrote they did. */
export const clearStale = (dir: string): number | undefined => {
  const left = readRun(join(dir, 'run.json'));
  if (left && isAlive(left)) return left.pid;
  for (const child of left?.children.filter(isAlive) ?? []) process.kill(child.pid, 'SIGKILL');
  for (const folder of left?.folders ?? []) rmSync(folder, { recursive: true, force: true });
  removeFrom(dir, [...leftovers, 'logs']);
  return undefined;
};

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(127));
  });

const within = (done: Promise<unknown>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  return Promise.race([done.then(() => true), late]).finally(() => clearTimeout(timer));
};

const asChild = (name: string, child: ChildProcess, exited: Promise<number | null>): Child => ({
  name,
  pid: child.pid ?? -1,
  exited,
  kill: (signal) => void child.kill(signal),
  stop: async () => {
    child.kill('SIGTERM');
    if (await within(exited, stopDeadlineMs)) return;
    child.kill('SIGKILL');
    await within(exited, 2_000);
  },
});

const leftovers = ['run.json', 'stack.json', 'kafka', 'redis', 'postgres', 'catalogue'];

const removeFrom = (dir: string, names: readonly string[]): void => {
  for (const name of names) rmSync(join(dir, name), { recursive: true, force: true });
};

const spawned = ({ command, args, env, cwd, log, user }: Command): ChildProcess => {
  const output = openSync(log, 'a');
  const child = spawn(command, args, {
    stdio: ['ignore', output, output],
    detached: true,
    env: env ?? process.env,
    ...(cwd !== undefined && { cwd }),
    ...user,
  });
  closeSync(output);
  return child;
};

/** What a run wrote down of itself, so that the next one can clear up after a kill -9. */
const recorder =
  (dir: string, children: ReadonlyMap<Child, Command>, folders: readonly string[]) => (): void => {
    if (!existsSync(dir)) return;
    const listed = [...children.keys()].map(({ name, pid }) => ({ name, pid, started: startOf(pid) ?? '' }));
    const content = { pid: process.pid, started: startOf(process.pid) ?? '', children: listed, folders };
    writeFileSync(join(dir, 'run.json'), JSON.stringify(content, null, 2), { mode: 0o600 });
  };

const killEach = (children: Iterable<Child>): void => {
  for (const child of children) child.kill('SIGKILL');
};

/** Everything a run started: written down in `run.json` as it starts, stopped together, services before stores. */
export const createRun = (dir: string) => {
  mkdirSync(join(dir, 'logs'), { recursive: true });
  const children = new Map<Child, Command>();
  const folders: string[] = [];
  const write = recorder(dir, children, folders);
  let stopped = false;
  const stopWave = (wave: Command['wave']): Promise<unknown> =>
    Promise.all([...children].filter(([, command]) => command.wave === wave).map(([child]) => child.stop()));
  write();
  return {
    dir,
    stopping: () => stopped,
    logOf: (name: string) => join(dir, 'logs', `${name}.log`),
    /** A folder outside `dir` that goes when the run goes. */
    ownFolder: (folder: string) => {
      folders.push(folder);
      write();
    },
    start: (command: Command): Child => {
      if (stopped) throw new Error('stopped');
      const child = spawned(command);
      const handle = asChild(command.name, child, exitOf(child));
      children.set(handle, command);
      write();
      void handle.exited.then(() => {
        children.delete(handle);
        if (!stopped) write();
      });
      return handle;
    },
    /** Ends all at once; the next run clears what this one leaves on disk. */
    killAll: (): void => killEach(children.keys()),
    stop: async (): Promise<void> => {
      if (stopped) return;
      stopped = true;
      for (const wave of ['service', 'store'] as const) await stopWave(wave);
      removeFrom(dir, leftovers);
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** A run. */
export type Run = ReturnType<typeof createRun>;
