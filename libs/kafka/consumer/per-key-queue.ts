type Task = () => Promise<void>;

/** Runs tasks side by side, and those of the same key one after another in the order in which they came. */
export interface PerKeyQueue {
  run(key: string, task: Task): void;
  /** Tasks that are waiting or running. */
  readonly size: number;
  /** Resolves when nothing is left. */
  idle(): Promise<void>;
}

/** Lanes whose tasks never reject; `onShrink` is told the size after each task that ended. */
export const createPerKeyQueue = (onShrink: (size: number) => void): PerKeyQueue => {
  const lanes = new Map<string, Task[]>();
  const watchers: (() => void)[] = [];
  let size = 0;
  const drain = async (key: string, waiting: Task[]): Promise<void> => {
    for (let task = waiting[0]; task !== undefined; task = waiting[0]) {
      await task();
      waiting.shift();
      size -= 1;
      onShrink(size);
    }
    lanes.delete(key);
    if (size === 0) watchers.splice(0).forEach((tell) => tell());
  };
  return {
    run: (key, task) => {
      size += 1;
      const lane = lanes.get(key);
      if (lane) return void lane.push(task);
      const fresh = [task];
      lanes.set(key, fresh);
      void drain(key, fresh);
    },
    get size() {
      return size;
    },
    idle: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve))),
  };
};
