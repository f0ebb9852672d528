import type { SharedWork } from './shared-work.ts';

/** Partitions of the log by name, and up to which offset of each a reader reads. */
interface Parts {
  readonly names: readonly string[];
  readonly ends: ReadonlyMap<string, number>;
}

interface RebuiltParts {
  /** How many live records, all parts together. */
  readonly live: number;
  /** From where to follow: a part that another replica has read ends where that one stopped, who may be dead by now. */
  readonly ends: ReadonlyMap<string, number>;
}

/** Rebuilds parts together with the other replicas; `restore` stores those of a part and resolves to how many are live. */
export const rebuildParts = async (
  shared: SharedWork,
  { names, ends }: Parts,
  restore: (part: string) => Promise<number>,
): Promise<RebuiltParts> => {
  const endOf = (part: string): number => ends.get(part) ?? 0;
  const done = await shared.each(names, async (part) => ({ live: await restore(part), end: endOf(part) }));
  return {
    live: [...done.values()].reduce((sum, { live = 0 }) => sum + live, 0),
    ends: new Map([...done].map(([part, { end = 0 }]) => [part, Math.min(end, endOf(part))])),
  };
};
