import { unavailable } from '#libs/contracts/errors.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep, withDeadline } from '#libs/runtime/wait.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

const patienceMs = 5_000;
const pauseMs = 500;

interface Options {
  readonly past: Ports['past'];
  readonly memoryMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Versions at which tokens were accepted, for `memoryMs`; the oldest go as new ones come. */
const createMemory = (memoryMs: number, clock: Clock) => {
  const accepted = new Map<string, { version: number; untilMs: number }>();
  const forget = () => {
    for (const [tokenHash, { untilMs }] of accepted) {
      if (untilMs > clock()) return;
      accepted.delete(tokenHash);
    }
  };
  return {
    versionOf: (tokenHash: string): number => accepted.get(tokenHash)?.version ?? 0,
    note: ({ tokenHash, version, claim }: Ott): void => {
      if (claim === null) return;
      forget();
      accepted.delete(tokenHash);
      accepted.set(tokenHash, { version, untilMs: clock() + memoryMs });
    },
  };
};

/**
 * A second guard against spending a token twice, whatever the store says (architecture, idea A). Presentations are keyed by token, so one
 * consumer sees all of a token's: it remembers what it accepted, and learns from the log what others accepted before its partitions came.
 */
export const acceptedTokenMemory = ({
  past,
  memoryMs,
  clock,
  log,
}: Options): Ports['accepted'] & Component & { refill(): void } => {
  const memory = createMemory(memoryMs, clock);
  const ended = new AbortController();
  let known = Promise.resolve();
  const learn = async (): Promise<boolean> => {
    try {
      for (const { ott } of await past.otts(ended.signal)) memory.note(ott);
      return true;
    } catch (error) {
      log.warn({ error }, 'what was accepted before is not known yet; trying again');
      return false;
    }
  };
  const learnPatiently = async (): Promise<void> => {
    while (!ended.signal.aborted && !(await learn())) await sleep(pauseMs, ended.signal);
  };
  return {
    name: 'accepted tokens',
    start: async () => undefined,
    stop: async () => ended.abort(),
    refill: () => void (known = learnPatiently()),
    note: memory.note,
    versionOf: async (tokenHash) => {
      await withDeadline(known, patienceMs, unavailable);
      return memory.versionOf(tokenHash);
    },
  };
};
