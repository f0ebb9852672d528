import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** By how much the old objects may grow until they are collected again, in percent of what the last collection left. */
const growsByPercent = 45;
/** In bytes: where a process may have more than this V8 lets old objects grow by more anyway, up to four times. */
const smallHeap = 512 * 2 ** 20;

/**
 * Has V8 collect what is old less often (D-64); NODE_OPTIONS may not say so.
 *
 * Objects that belong to what is in hand are made young, each time: V8 makes them old from the beginning where most of their kind have lived long, as
 * all do in an overload; nothing makes them young again, and each of them keeps young ones alive that belong to it.
 *
 * And the old ones may grow by more than the three tenths that V8 takes where they may take 256 MiB, as in a pod.
 */
export const collectOldSeldom = (): void => {
  setFlagsFromString('--no-allocation-site-pretenuring');
  if (getHeapStatistics().heap_size_limit <= smallHeap)
    setFlagsFromString(`--heap-growing-percent=${growsByPercent}`);
};
