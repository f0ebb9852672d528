import { sleep } from '#libs/runtime/wait.ts';
import type { Calls } from './calls.ts';
import type { History } from './history.ts';

/** What all players of a run share. */
export interface PlayersWorld {
  readonly calls: Calls;
  readonly history: History;
  readonly seed: number;
  /** When everybody goes home, in ms since the run began. */
  readonly overAtMs: number;
  /** Games and cafes there are. */
  readonly games: number;
  readonly cafes: number;
  /** Something that goes on beside a player, waited for at the end. */
  beside(work: Promise<unknown>): void;
  /** A session that its game server plays, for the picture; call it when it no longer does. */
  playing(): () => void;
}

/** Milliseconds until everybody goes home. */
export const leftMs = ({ overAtMs, history }: PlayersWorld): number => overAtMs - history.now();

interface Patience<T> {
  readonly ask: () => Promise<T>;
  readonly again: (answer: T) => boolean;
  readonly pauseMs?: number;
  readonly forMs: number;
}

/** Asks until the answer is good enough or patience ends; gives the last answer. */
export const patiently = async <T>({ ask, again, pauseMs = 1_000, forMs }: Patience<T>): Promise<T> => {
  const giveUpAt = performance.now() + forMs;
  for (;;) {
    const answer = await ask();
    if (!again(answer) || performance.now() > giveUpAt) return answer;
    await sleep(pauseMs);
  }
};
