type Task = () => Promise<void>;

/** Runs tasks concurrently, but those of the same key one after another, in the order in which they were added. */
export interface PerKeyQueue {
  add(key: string, task: Task): void;
  /** Tasks that wait or run. */
  readonly size: number;
  /** Resolves when no task is left. */
  idle(): Promise<void>;
}

/** A queue of tasks that never reject; `onDone` is called with the size after each task. */
export const createPerKeyQueue = (onDone: (size: number) => void): PerKeyQueue => {
  const queues = new Map<string, Task[]>();
  const idleWaiters: (() => void)[] = [];
  let size = 0;
  const run = async (key: string, queue: Task[]): Promise<void> => {
    for (let task = queue[0]; task !== undefined; task = queue[0]) {
      await task();
      queue.shift();
      size -= 1;
      onDone(size);
    }
    queues.delete(key);
    if (size === 0) idleWaiters.splice(0).forEach((resolve) => resolve());
  };
  return {
    add: (key, task) => {
      size += 1;
      const running = queues.get(key);
      if (running) return void running.push(task);
      const queue = [task];
      queues.set(key, queue);
      void run(key, queue);
    },
    get size() {
      return size;
    },
    idle: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
  };
};
