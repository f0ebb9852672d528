import { PassingMap } from '#libs/kernel/passing-map.ts';

type Task = () => Promise<void>;

/** Runs tasks concurrently, but those of the same key one after another, in the order in which they were added. */
export interface PerKeyQueue {
  /** The task has its turn when it is the first of each of its keys, and holds up what comes after it in all of them. Keys that come twice count once. */
  add(keys: readonly string[], task: Task): void;
  /** Tasks that wait or run, once for each of their keys. */
  readonly size: number;
  /** Resolves when no task is left. */
  idle(): Promise<void>;
}

/** A task, and how many of its keys have others before it. */
interface Waiting {
  readonly keys: readonly string[];
  readonly task: Task;
  held: number;
}

/** A queue of tasks that never reject; `onDone` is called with the size after each task. */
export const createPerKeyQueue = (onDone: (size: number) => void): PerKeyQueue => {
  const queues = new PassingMap<string, Waiting[]>();
  const idleWaiters: (() => void)[] = [];
  let size = 0;
  const release = (key: string): void => {
    const queue = queues.get(key);
    queue?.shift();
    const next = queue?.[0];
    if (next === undefined) queues.delete(key);
    else if ((next.held -= 1) === 0) void run(next);
  };
  const run = async ({ keys, task }: Waiting): Promise<void> => {
    await task();
    size -= keys.length;
    keys.forEach(release);
    onDone(size);
    if (size === 0) idleWaiters.splice(0).forEach((resolve) => resolve());
  };
  const enqueue = (key: string, waiting: Waiting): void => {
    const queue = queues.get(key);
    if (queue === undefined) return queues.set(key, [waiting]);
    queue.push(waiting);
    waiting.held += 1;
  };
  return {
    add: (keys, task) => {
      const waiting: Waiting = { keys: keys.length > 1 ? [...new Set(keys)] : keys, task, held: 0 };
      size += waiting.keys.length;
      for (const key of waiting.keys) enqueue(key, waiting);
      if (waiting.held === 0) void run(waiting);
    },
    get size() {
      return size;
    },
    idle: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
  };
};
