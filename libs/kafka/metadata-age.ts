/** Where a leader moved without anybody being refused, as from a host that died without a word, it is known after so long; partitions that came are known then as well. */
export const metadataMaxAgeMs = 10_000;
