/** The Redis key of a shard's part, such as `gsb:ott:{3}:deadlines`: the braces keep a shard in one slot of a Redis Cluster. */
export const shardKey =
  (prefix: string) =>
  (shard: string, name: string): string =>
    `${prefix}:{${shard}}:${name}`;
