import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Log } from './log.ts';
import type { Component } from './service.ts';
import { createUtilization } from './utilization.ts';

const lookEveryMs = 10_000;
/** From so many resident bytes on that hold no object, pages are given back. A service that has done nothing yet has 80 to 90 MB: Node itself, code, the C library's. */
const spareFrom = 112 * 2 ** 20;
/** Who has less time left than this would make callers wait for longer than the collection takes. */
const calmUnder = 0.85;
const leastApartMs = 120_000;
/** What a collection has left is not V8's to give back: so much more must have come since. */
const moreThanLeft = 24 * 2 ** 20;

/** What a process is asked for, and what it does. */
interface Host {
  /** Share of its time that the event loop worked since it was asked last. */
  readonly utilization: () => number;
  /** Resident bytes that hold no object. */
  readonly spare: () => number;
  /** Collects all garbage and gives back every page that is empty then; nothing else happens meanwhile. */
  readonly collect: () => void;
  readonly nowMs: () => number;
}

const spareBytes = (): number => {
  const { rss, heapUsed, external } = process.memoryUsage();
  return rss - heapUsed - external;
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
  spare: spareBytes,
  collect: collectAll,
  nowMs: () => performance.now(),
});

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);

/** Looks once whether there is anything to give back, and whether it is the moment for it. */
export const createLook = (log: Log, host: Host = thisProcess()): (() => void) => {
  let [lastMs, enough] = [-Infinity, spareFrom];
  const giveBack = (before: number): void => {
    lastMs = host.nowMs();
    host.collect();
    const [tookMs, left] = [host.nowMs() - lastMs, host.spare()];
    enough = Math.max(spareFrom, left + moreThanLeft);
    const spent = { durationMs: Math.round(tookMs), from: megabytes(before), to: megabytes(left) };
    log.info(spent, 'gave back memory that held nothing (MB)');
  };
  return () => {
    const isCalm = host.utilization() < calmUnder;
    if (!isCalm || host.nowMs() - lastMs < leastApartMs) return;
    const before = host.spare();
    if (before < enough) return;
    try {
      giveBack(before);
    } catch (error) {
      log.warn({ error }, 'memory that holds nothing could not be given back');
    }
  };
};

/**
 * Gives back what an overload or large bodies have left: V8 keeps pages that it once had until the process is idle, which one that serves never
 * is (D-67). It takes about a tenth of a second, once in two minutes at most, and not while the process has little time left.
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
