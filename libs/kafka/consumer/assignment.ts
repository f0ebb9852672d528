/** Partitions by topic. */
export type Assignment = Readonly<Record<string, readonly number[]>>;
