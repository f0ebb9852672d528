import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Log } from './log.ts';
import type { Component } from './service.ts';
import { createUtilization } from './utilization.ts';

/** In bytes. */
interface Memory {
  readonly resident: number;
  /** Resident bytes that hold no object. */
  readonly spare: number;
}

const lookEveryMs = 10_000;
/**
 * From so many resident bytes on, or so many that hold no object, pages are given back. A service that has done nothing yet has 120 to 140 MB, of
 * which 80 to 90 hold none: Node itself, code, the C library's. What is garbage and old counts as an object until V8 looks, which may take hours.
 */
const leastEnough: Memory = { resident: 160 * 2 ** 20, spare: 112 * 2 ** 20 };
/**
 * Who works for more of its time than this is left alone: so many callers come during a collection that some of them are refused (D-46), and it
 * takes for its garbage at once what has been given back.
 */
const calmUnder = 0.6;
/** A process that always has as much again soon is collected less and less often. */
const [leastApartMs, mostApartMs] = [120_000, 600_000];
/** What a collection has left is not V8's to give back: so much more must have come since, and an eighth where that is more. */
const moreThanLeft = 24 * 2 ** 20;

/** What a process is asked for, and what it does. */
interface Host {
  /** Share of its time that the event loop worked since it was asked last. */
  readonly utilization: () => number;
  readonly memory: () => Memory;
  /** Collects all garbage and gives back every page that is empty then; nothing else happens meanwhile. */
  readonly collect: () => void;
  readonly nowMs: () => number;
}

const memoryOfProcess = (): Memory => {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, spare: rss - heapUsed - external };
};

/** V8's collection for when memory is short: any other keeps the pages that it empties. */
const collectAll = (): void => {
  setFlagsFromString('--expose-gc');
  try {
    const collect = runInNewContext('gc') as NodeJS.GCFunction;
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
};

const thisProcess = (): Host => ({
  utilization: createUtilization(),
  memory: memoryOfProcess,
  collect: collectAll,
  nowMs: () => performance.now(),
});

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);

const wellAbove = (left: number): number => left + Math.max(moreThanLeft, left / 8);

/** How much is too much after a collection that has left this. */
const enoughAfter = (left: Memory): Memory => ({
  resident: Math.max(leastEnough.resident, wellAbove(left.resident)),
  spare: Math.max(leastEnough.spare, wellAbove(left.spare)),
});

/** Looks once whether there is anything to give back, and whether it is the moment for it. */
export const createLook = (log: Log, host: Host = thisProcess()): (() => void) => {
  let [lastMs, apartMs, enough] = [-Infinity, leastApartMs, leastEnough];
  const giveBack = (before: Memory): void => {
    const nowMs = host.nowMs();
    apartMs = nowMs - lastMs < 2 * apartMs ? Math.min(2 * apartMs, mostApartMs) : leastApartMs;
    lastMs = nowMs;
    host.collect();
    const [tookMs, left] = [host.nowMs() - nowMs, host.memory()];
    enough = enoughAfter(left);
    const spent = {
      durationMs: Math.round(tookMs),
      from: megabytes(before.resident),
      to: megabytes(left.resident),
    };
    log.info(spent, 'gave back memory that held nothing (MB)');
  };
  const lookOnce = (): void => {
    const isCalm = host.utilization() < calmUnder;
    if (!isCalm || host.nowMs() - lastMs < apartMs) return;
    const before = host.memory();
    if (before.spare >= enough.spare || before.resident >= enough.resident) giveBack(before);
  };
  return () => {
    try {
      lookOnce();
    } catch (error) {
      log.warn({ error }, 'memory that holds nothing could not be given back');
    }
  };
};

/**
 * Gives back what an overload or large bodies have left: V8 keeps pages that it once had until the process is idle, which one that serves never
 * is (D-67). It takes about a tenth of a second, once in two minutes at most, and not while the process works for 60 % of its time.
 */
export const spareMemory = (log: Log, everyMs = lookEveryMs): Component => {
  let timer: NodeJS.Timeout | undefined;
  return {
    name: 'spare memory',
    start: async () => {
      timer = setInterval(createLook(log), everyMs).unref();
    },
    stop: async () => clearInterval(timer),
  };
};
