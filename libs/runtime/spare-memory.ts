import { PerformanceObserver, constants } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import type { Log } from './log.ts';
import type { Component } from './service.ts';
import { createUtilization } from './utilization.ts';

/** In bytes. */
interface Memory {
  readonly resident: number;
  /** Resident bytes that hold no object. */
  readonly spare: number;
}

/** V8 looks eight seconds after a collection whether another would reduce memory: if it is to save some, it has done so by the next look. */
const lookEveryMs = 10_000;
/**
 * From so many resident bytes on, or so many that hold no object, pages are given back. A service that has done nothing yet has 120 to 140 MB, of
 * which 80 to 90 hold none: Node itself, code, the C library's. What is garbage and old counts as an object until V8 looks, which may take hours.
 */
const leastEnough: Memory = { resident: 160 * 2 ** 20, spare: 112 * 2 ** 20 };
/** Who works for more of its time than this is left alone: it takes for its garbage at once what has been given back. */
const calmUnder = 0.9;
/** Who works for less is hardly called: it may stand still. */
const restsUnder = 0.1;
/** A process that always has as much again soon is collected less and less often. */
const [leastApartMs, mostApartMs] = [120_000, 600_000];
/** What a collection has left is not V8's to give back: so much more must have come since, and an eighth where that is more. */
const moreThanLeft = 24 * 2 ** 20;

/** V8 may have begun to mark for the first collection before it was asked, and keeps its pages then; for the second it has not. */
const mostCollections = 2;

/** What a process is asked for, and what it does. */
interface Host {
  /** Share of its time that the event loop worked since it was asked last. */
  readonly utilization: () => number;
  readonly memory: () => Memory;
  /**
   * A collection of what is old that begins from now on gives back every page that it empties, until the answer is called; each that ends tells for
   * how many ms everything else stood still at its end.
   */
  readonly economize: (collected: (pauseMs: number) => void) => () => void;
  /** Collects all garbage and gives back every page that is empty then; nothing else happens meanwhile. */
  readonly collect: () => void;
  readonly nowMs: () => number;
}

const memoryOfProcess = (): Memory => {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, spare: rss - heapUsed - external };
};

/** An entry of the kind `gc`: its type says nothing of what is in it. */
const collection = z.object({
  startTime: z.number(),
  duration: z.number(),
  detail: z.object({ kind: z.number() }),
});
/** For how many ms a collection of what is old held everything else up; nothing for one that began before `sinceMs`, and for another entry. */
const pausesOfOld = (entry: unknown, sinceMs: number): number[] => {
  const { data } = collection.safeParse(entry);
  const isOfOld = data?.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
  return isOfOld && data.startTime >= sinceMs ? [data.duration] : [];
};

/** V8 marks beside its host's work then as ever; any other collection keeps the pages that it empties, for what comes. */
const economizeV8: Host['economize'] = (collected) => {
  const sinceMs = performance.now();
  const observer = new PerformanceObserver((seen) => {
    const pauses = seen.getEntries().flatMap((entry) => pausesOfOld(entry, sinceMs));
    for (const pauseMs of pauses) collected(pauseMs);
  });
  observer.observe({ entryTypes: ['gc'] });
  setFlagsFromString('--memory-saver-mode');
  return () => {
    setFlagsFromString('--no-memory-saver-mode');
    observer.disconnect();
  };
};

/** V8's collection for when memory is short: several in one, without a pause between them. */
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
  economize: economizeV8,
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

const isTooMuch = (now: Memory, enough: Memory): boolean =>
  now.spare >= enough.spare || now.resident >= enough.resident;

/** What came of giving back: for how many ms the process stood still for it, and what is resident now. */
interface GivenBack {
  readonly pauseMs: number;
  readonly left: Memory;
}

/** Collections that are to give back what is empty. */
interface GivingBack {
  readonly isOver: () => boolean;
  /** Collects at once what V8 has left until now. */
  readonly end: () => void;
}

/** Has V8's next collections give back what is empty, until that is enough. */
const giveBack = (host: Host, enough: Memory, done: (given: GivenBack) => void): GivingBack => {
  let [collections, pauseMs, isOver] = [0, 0, false];
  const finish = (last?: () => void): void => {
    if (isOver) return;
    isOver = true;
    stop();
    last?.();
    done({ pauseMs, left: host.memory() });
  };
  const stop = host.economize((ms) => {
    collections += 1;
    pauseMs += ms;
    if (collections === mostCollections || !isTooMuch(host.memory(), enough)) finish();
  });
  const collectNow = (): void => {
    const sinceMs = host.nowMs();
    host.collect();
    pauseMs += host.nowMs() - sinceMs;
  };
  return { isOver: () => isOver, end: () => finish(collectNow) };
};

/** Gives back what is too much, again and again. */
const createGivingBack = (log: Log, host: Host) => {
  let [lastMs, apartMs, enough] = [-Infinity, leastApartMs, leastEnough];
  let last: GivingBack | undefined;
  const begin = (before: Memory): GivingBack => {
    const nowMs = host.nowMs();
    apartMs = nowMs - lastMs < 2 * apartMs ? Math.min(2 * apartMs, mostApartMs) : leastApartMs;
    lastMs = nowMs;
    return giveBack(host, enough, ({ pauseMs, left }) => {
      enough = enoughAfter(left);
      const spent = {
        durationMs: Math.round(pauseMs),
        from: megabytes(before.resident),
        to: megabytes(left.resident),
      };
      log.info(spent, 'gave back memory that held nothing (MB)');
    });
  };
  return {
    beginIfDue: (): void => {
      if (last?.isOver() === false || host.nowMs() - lastMs < apartMs) return;
      const before = host.memory();
      if (isTooMuch(before, enough)) last = begin(before);
    },
    end: (): void => last?.end(),
  };
};

/** Looks whether there is anything to give back, and whether it is the moment for it. Nothing of it throws. */
export const createLook = (log: Log, host: Host = thisProcess()): (() => void) => {
  const guarded =
    <A extends readonly unknown[]>(work: (...given: A) => void) =>
    (...given: A): void => {
      try {
        work(...given);
      } catch (error) {
        log.warn({ error }, 'memory that holds nothing could not be given back');
      }
    };
  const economize: Host['economize'] = (collected) => host.economize(guarded(collected));
  const givingBack = createGivingBack(log, { ...host, economize });
  return guarded(() => {
    const utilization = host.utilization();
    if (utilization < restsUnder) givingBack.end();
    if (utilization < calmUnder) givingBack.beginIfDue();
  });
};

/**
 * Gives back what an overload or large bodies have left: V8 keeps pages that it once had until the process is idle, which one that serves never
 * is (D-67). The process stands still for 20 to 80 ms while it works, and for up to a quarter of a second while it hardly does; once in two
 * minutes at most, and not while it works for 90 % of its time.
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
