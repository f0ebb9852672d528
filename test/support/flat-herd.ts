import { setTimeout as pause } from 'node:timers/promises';
import { beat } from './seat-players.ts';
import type { Player } from './seat-players.ts';

const groups = 10;

/** Players whose heartbeats are spread evenly, as steering makes them. */
export interface FlatHerd {
  /** All of them play until the work is done. */
  playDuring(work: Promise<unknown>): Promise<void>;
  /** The fewest heartbeats that were answered in any so many ms after one that was. */
  fewestBeatsIn(windowMs: number): number;
}

/**
 * Each player beats every so many ms. An answer that takes less than the pause between two heartbeats delays none, and one that takes longer the
 * next one of its group: in compressed time one second in which a machine has no core for us would be two minutes without heartbeats.
 */
export const createFlatHerd = (players: readonly Player[], everyMs: number): FlatHerd => {
  /** When a heartbeat was answered. */
  const answeredMs: number[] = [];
  const beatOnce = async (player: Player): Promise<void> => {
    await beat(player);
    answeredMs.push(performance.now());
  };
  return {
    playDuring: async (work) => {
      let over = false;
      const done = work.finally(() => (over = true));
      const beatInTurn = async (group: number): Promise<void> => {
        const members = players.filter((_, at) => at % groups === group);
        let dueMs = performance.now() + (group * everyMs) / groups;
        for (;;) {
          await Promise.race([done, pause(dueMs - performance.now())]);
          if (over) return;
          await Promise.all(members.map(beatOnce));
          dueMs = Math.max(dueMs + everyMs, performance.now());
        }
      };
      await Promise.all([done, ...Array.from({ length: groups }, (_, group) => beatInTurn(group))]);
    },
    fewestBeatsIn: (windowMs) => {
      const nowMs = performance.now();
      let [fewest, next] = [Infinity, 0];
      for (const [index, fromMs] of answeredMs.entries()) {
        if (fromMs + windowMs > nowMs) break;
        while ((answeredMs[next] ?? Infinity) <= fromMs + windowMs) next += 1;
        fewest = Math.min(fewest, next - index - 1);
      }
      return fewest;
    },
  };
};
