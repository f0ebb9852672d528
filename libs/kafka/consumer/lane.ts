import { bulkhead } from 'cockatiel';
import type { BulkheadPolicy } from 'cockatiel';
import { createFlowControl } from './flow-control.ts';
import type { PausableConsumer } from './flow-control.ts';
import { createPerKeyQueue } from './per-key-queue.ts';

/** `endTurn`: what is left of the task needs no turn, which is another's then. */
type Task = (endTurn: () => void) => Promise<void>;

/** Topics whose messages wait for each other and for no other's, and how many of them are handled at once. */
export interface LaneOptions {
  /** As on the cluster. */
  readonly topics: readonly string[];
  readonly atOnce: number;
  readonly consumer: PausableConsumer;
}

/** Runs the tasks of some topics, in order for each key; while too many wait, these topics are not fetched, and the others are. */
export interface Lane {
  readonly topics: readonly string[];
  /** `task` never rejects. It has its turn until it has ended, or says so. */
  add(keys: readonly string[], task: Task): void;
  /** To be called when what one fetch brought has been added. */
  added(): void;
  /** To be called after a new assignment. */
  reassigned(): void;
  /** Resolves when no task is left. */
  idle(): Promise<void>;
  /** Tasks that wait or run. */
  readonly size: number;
}

/** Resolves when the task has ended, which may be after its turn. */
const runInTurn = (turns: BulkheadPolicy, task: Task): Promise<void> =>
  new Promise((ended) => {
    const turn = () => new Promise<void>((endTurn) => void task(endTurn).then(endTurn).then(ended));
    void turns.execute(turn);
  });

/** A lane of its own for some topics of a consumer. */
export const createLane = ({ topics, atOnce, consumer }: LaneOptions): Lane => {
  const flow = createFlowControl(consumer, topics);
  const queue = createPerKeyQueue(flow.adjust);
  const turns = atOnce === Infinity ? undefined : bulkhead(atOnce, Infinity);
  const inTurn = (task: Task) => (): Promise<void> =>
    turns ? runInTurn(turns, task) : task(() => undefined);
  return {
    topics,
    add: (keys, task) => queue.add(keys, inTurn(task)),
    added: () => flow.adjust(queue.size),
    reassigned: flow.reapply,
    idle: queue.idle,
    get size() {
      return queue.size;
    },
  };
};
