import type { SharedWork } from './shared-work.ts';

/** Partitions of the log by name, and up to which offset of each a reader reads. */
interface Parts {
  readonly names: readonly string[];
  readonly ends: ReadonlyMap<string, number>;
}

/**
 * Rebuilds parts together with the other replicas; `restore` stores those of a part. Resolves to where to follow from: a part that another
 * replica has read ends where that one stopped, who may be dead by now.
 */
export const rebuildParts = async (
  shared: SharedWork,
  { names, ends }: Parts,
  restore: (part: string) => Promise<void>,
): Promise<Parts['ends']> => {
  const endOf = (part: string): number => ends.get(part) ?? 0;
  const done = await shared.each(names, async (part) => {
    await restore(part);
    return { end: endOf(part) };
  });
  return new Map([...done].map(([part, { end = 0 }]) => [part, Math.min(end, endOf(part))]));
};
