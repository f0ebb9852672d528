import { until } from './progress.ts';
import type { Print } from './progress.ts';
import type { Child, Command, Run } from './run.ts';

/** A store that this run started, or one that the environment names; the latter is left alone. */
export interface Store {
  readonly pid: number | undefined;
  stop(): Promise<void>;
  /** SIGKILL, as an accident would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
}

/** Where a store lives and who is told. Without a port it takes any free one; without a run it has one of its own. */
export interface StoreOptions {
  readonly dir: string;
  readonly port?: number;
  readonly print?: Print;
  readonly run?: Run;
}

/** What a store is run by, and how it is known to be ready. */
export interface StoreProgram {
  readonly command: () => Command;
  readonly ready: () => Promise<boolean>;
  readonly deadlineMs?: number;
}

/** Starts a store and waits until it is ready. Rejects when it ends before that; its log says why. */
export const runStore = async (run: Run, { command, ready, deadlineMs }: StoreProgram): Promise<Store> => {
  let child: Child | undefined;
  const boot = async () => {
    const what = command();
    let gone = false;
    child = run.start(what);
    void child.exited.then(() => (gone = true));
    await until(what.name, async () => gone || run.stopping() || (await ready()), deadlineMs);
    if (gone) throw new Error(`${what.name} did not start; see ${what.log}`);
  };
  await boot();
  return {
    get pid() {
      return child?.pid;
    },
    stop: async () => child?.stop(),
    kill: async () => {
      child?.kill('SIGKILL');
      await child?.exited;
    },
    restart: boot,
  };
};
