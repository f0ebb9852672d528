import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { StackFacts } from '#simulators/stack-file.ts';
import { createCalls } from './calls.ts';
import type { History } from './history.ts';
import { livePc } from './pc.ts';
import { sleep } from '#libs/runtime/wait.ts';
import type { PlayersWorld } from './players-world.ts';

const sampleEveryMs = 1_000;

/** Writes down, every second, how many play and how long this process stalled. */
const sampled = (history: History, live: () => number): (() => void) => {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const timer = setInterval(() => {
    history.add({ kind: 'sample', at: history.now(), live: live(), lag: Math.round(delay.max / 1e6) });
    delay.reset();
  }, sampleEveryMs);
  return () => {
    clearInterval(timer);
    delay.disable();
  };
};

interface Plan {
  readonly seed: number;
  readonly minutes: number;
  readonly players: number;
}

/** Waits for what goes on beside, and for what that begins. */
const allOf = async (works: Set<Promise<unknown>>): Promise<void> => {
  while (works.size > 0) await Promise.all(works);
};

/** Lets the players play until it is over, and everybody who still plays leave; `onBatch` is told of each batch. Rejects when a player does. */
export const playAll = async (
  stack: StackFacts,
  history: History,
  { seed, minutes, players }: Plan,
  onBatch: () => void,
): Promise<void> => {
  const works = new Set<Promise<unknown>>();
  let live = 0;
  const world: PlayersWorld = {
    calls: createCalls(stack, history, onBatch),
    ...{ history, seed, games: stack.game.games.length, cafes: stack.cafes.length },
    overAtMs: history.now() + minutes * 60_000,
    beside: (work) => {
      works.add(work);
      void work.finally(() => works.delete(work)).catch(() => undefined);
    },
    playing: () => {
      live += 1;
      return () => (live -= 1);
    },
  };
  const stop = sampled(history, () => live);
  await Promise.all(Array.from({ length: players }, (_, index) => livePc(world, index)));
  history.add({ kind: 'phase', at: history.now(), name: 'over' });
  await allOf(works);
  await sleep(sampleEveryMs);
  stop();
};
