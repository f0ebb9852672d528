import { childrenOf, startOf } from './processes.ts';
import { lastLines, until } from './progress.ts';
import type { Print } from './progress.ts';
import type { Child, Command, Run } from './run.ts';

/** A store that this run started; one that the environment names is never stopped. */
export interface Store {
  readonly pid: number | undefined;
  stop(): Promise<void>;
  /** SIGKILL, as an accident would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
}

/** Where a store keeps its data and listens. Without a port it takes any free one; without a run it has one of its own. */
export interface StoreOptions {
  readonly dir: string;
  readonly port?: number;
  /** The address to listen on, by default loopback; on any other it asks for a password. */
  readonly host?: string;
  readonly print?: Print;
  readonly run?: Run;
}

/** How a store is started, and how it is known to be ready. */
export interface StoreProgram {
  readonly command: () => Command;
  readonly ready: () => Promise<boolean>;
  readonly deadlineMs?: number;
  readonly print?: Print | undefined;
  /** What it means that it is gone; by default that nothing works. */
  readonly missed?: string;
}

const bootOf = async (run: Run, { command, ready, deadlineMs }: StoreProgram): Promise<Child> => {
  const what = command();
  const child = run.start(what);
  let gone = false;
  void child.exited.then(() => (gone = true));
  await until(what.name, async () => gone || run.stopping() || (await ready()), deadlineMs);
  if (gone && !run.stopping())
    throw new Error(`${what.name} did not start. Its last words (${what.log}):\n${lastLines(what.log)}`);
  return child;
};

/** Kills a store with its own processes, stopped first so that it starts no other: a backend of Postgres that outlives it keeps the data folder. */
const killWhole = async (running: Child): Promise<void> => {
  running.kill('SIGSTOP');
  const own = childrenOf(running.pid);
  for (const pid of own) process.kill(pid, 'SIGKILL');
  running.kill('SIGKILL');
  await running.exited;
  await until(`the end of ${running.name}`, async () => own.every((pid) => startOf(pid) === undefined));
};

/** Starts a store and waits until it is ready. Rejects with the end of its log when it ends before that; when it ends by itself later, that is printed. */
export const runStore = async (run: Run, program: StoreProgram): Promise<Store> => {
  const { missed = 'nothing works without it', print } = program;
  let child: Child | undefined;
  const boot = async () => {
    const started = (child = await bootOf(run, program));
    void started.exited.then(() => {
      if (child === started && !run.stopping())
        print?.(`! ${started.name} ended by itself; ${missed}. Start again: npm start`);
    });
  };
  const end = async (how: (running: Child) => Promise<unknown>) => {
    const running = child;
    child = undefined;
    if (running) await how(running);
  };
  await boot();
  return {
    get pid() {
      return child?.pid;
    },
    stop: () => end((running) => running.stop()),
    kill: () => end(killWhole),
    restart: boot,
  };
};
