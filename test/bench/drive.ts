import { setTimeout as sleep } from 'node:timers/promises';
import { ok } from './answers.ts';
import type { Verdict } from './answers.ts';
import type { Prepared } from './operations.ts';
import type { Recorder } from './recorder.ts';
import { scheduleOf } from './schedule.ts';

type Next = () => Prepared | undefined;

/** Counts the requests that wait for their answers. */
const createInFlight = () => {
  let count = 0;
  let onIdle = (): void => undefined;
  return {
    get count() {
      return count;
    },
    send: ({ pool, text, settle }: Prepared, done: (verdicts: readonly Verdict[]) => void): void => {
      count += 1;
      pool.send(text, (outcome) => {
        done(settle(outcome));
        count -= 1;
        if (count === 0) onIdle();
      });
    },
    idle: (): Promise<void> =>
      count === 0 ? Promise.resolve() : new Promise((resolve) => (onIdle = resolve)),
  };
};

/** How an open loop goes. */
export interface OpenLoop {
  readonly ratePerSec: number;
  readonly seconds: number;
  readonly warmUpSec: number;
  readonly recorder: Recorder;
  /** Called when the warm-up is over, and when the last measured request was due. */
  readonly onWindow: (isOpen: boolean) => void;
}

/** What an open loop could not offer: requests for which no PC was left. */
export interface Driven {
  readonly missed: number;
}

const nobody: Verdict = { outcome: 'error', why: 'nobody is left for this request' };

/**
 * Sends requests when they are due, whether or not earlier ones were answered, and resolves when all were answered. Latency counts from
 * when a request was due, so that a pause of the server, or of this process, is seen by all who would have come meanwhile.
 */
export const driveOpen = async (loop: OpenLoop, next: Next): Promise<Driven> => {
  const { ratePerSec, seconds, warmUpSec, recorder, onWindow } = loop;
  const startMs = performance.now() + 5;
  const schedule = scheduleOf(startMs, ratePerSec, warmUpSec + seconds);
  const fromMs = startMs + warmUpSec * 1000;
  recorder.open({ fromMs, untilMs: schedule.endsAtMs });
  const inFlight = createInFlight();
  let [sent, missed, isOpen] = [0, 0, false];
  const sendNext = (): void => {
    const intendedMs = schedule.intendedAtMs(sent);
    sent += 1;
    const prepared = next();
    if (prepared)
      return inFlight.send(prepared, (each) => recorder.record(intendedMs, performance.now(), each));
    missed += 1;
    recorder.miss(intendedMs, nobody);
  };
  for (let nowMs = performance.now(); nowMs < schedule.endsAtMs; nowMs = performance.now()) {
    if (!isOpen && nowMs >= fromMs) onWindow((isOpen = true));
    const due = schedule.dueBy(nowMs);
    while (sent < due) sendNext();
    await sleep(Math.max(1, schedule.intendedAtMs(sent) - performance.now()));
  }
  while (sent < schedule.total) sendNext();
  onWindow(false);
  await inFlight.idle();
  return { missed };
};

/** How a closed loop goes: so many requests at once, as many as there are, at most so long. */
export interface ClosedLoop {
  readonly atOnce: number;
  readonly untilMs?: number;
  /** Told the instants of each request, for a loop that is measured. */
  readonly onDone?: (sentMs: number, verdicts: readonly Verdict[]) => void;
}

/** What a closed loop brought. */
export interface Closed {
  readonly ok: number;
  readonly notOk: number;
  /** Of those that are not ok: answers that must not be. */
  readonly wrong: number;
  /** Of an answer that was not as it should be. */
  readonly reasons: ReadonlySet<string>;
}

/** Sends the next request whenever one is answered; for what is not measured, and for what a server can do at most. */
export const driveClosed = async (
  { atOnce, untilMs = Infinity, onDone }: ClosedLoop,
  next: Next,
): Promise<Closed> => {
  const inFlight = createInFlight();
  const reasons = new Set<string>();
  let [right, notOk, wrong] = [0, 0, 0];
  const sendOne = (): void => {
    const prepared = performance.now() < untilMs ? next() : undefined;
    if (prepared === undefined) return;
    const sentMs = performance.now();
    inFlight.send(prepared, (verdicts) => {
      for (const verdict of verdicts) {
        if (verdict === ok) right += 1;
        else notOk += 1;
        if (verdict !== ok) reasons.add(verdict.why);
        if (verdict.outcome === 'wrong') wrong += 1;
      }
      onDone?.(sentMs, verdicts);
      sendOne();
    });
  };
  for (let started = 0; started < atOnce; started += 1) sendOne();
  await inFlight.idle();
  return { ok: right, notOk, wrong, reasons };
};
