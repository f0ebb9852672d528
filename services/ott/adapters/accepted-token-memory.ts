import { unavailable } from '#libs/contracts/errors.ts';
import { AgeingMap } from '#libs/kernel/ageing-map.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep, withDeadline } from '#libs/runtime/wait.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

const waitMs = 5_000;
const retryPauseMs = 500;

interface Options {
  readonly recentLog: Ports['recentLog'];
  readonly memoryMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The versions at which tokens were accepted, kept for `memoryMs`; expired ones are dropped as new ones come. */
const createMemory = (memoryMs: number, clock: Clock) => {
  const accepted = new AgeingMap<string, { version: number; untilMs: number }>();
  const dropExpired = (): void => {
    const nowMs = clock();
    for (let oldest = accepted.oldest(); oldest && oldest[1].untilMs <= nowMs; oldest = accepted.oldest())
      accepted.delete(oldest[0]);
  };
  return {
    versionOf: (tokenHash: string): number => accepted.get(tokenHash)?.version ?? 0,
    remember: ({ tokenHash, version, claim }: Ott): void => {
      if (claim === null || version < (accepted.get(tokenHash)?.version ?? 0)) return;
      dropExpired();
      accepted.set(tokenHash, { version, untilMs: clock() + memoryMs });
    },
  };
};

/**
 * A second guard against accepting a token twice, whatever the store says (I1, D-24). Presentations are keyed by token, so one consumer
 * sees all of a token's, but for two that came while topics grew (D-63): it remembers what it accepted, and reads from the log what others
 * accepted before its partitions were assigned to it.
 */
export const acceptedTokenMemory = ({
  recentLog,
  memoryMs,
  clock,
  log,
}: Options): Ports['accepted'] & Component & { refill(): void } => {
  const memory = createMemory(memoryMs, clock);
  const stopped = new AbortController();
  let known = Promise.resolve();
  const learn = async (): Promise<boolean> => {
    try {
      await recentLog.open(stopped.signal, async (log) => {
        await log.otts([...log.groups.values()].flat(), async (known) => known.forEach(memory.remember));
      });
      return true;
    } catch (error) {
      log.warn({ error }, 'what was accepted before is not known yet; trying again');
      return false;
    }
  };
  const learnUntilKnown = async (): Promise<void> => {
    while (!stopped.signal.aborted && !(await learn())) await sleep(retryPauseMs, stopped.signal);
  };
  return {
    name: 'accepted tokens',
    start: async () => undefined,
    stop: async () => stopped.abort(),
    refill: () => void (known = learnUntilKnown()),
    remember: memory.remember,
    versionOf: async (tokenHash) => {
      await withDeadline(known, waitMs, unavailable);
      return memory.versionOf(tokenHash);
    },
  };
};
