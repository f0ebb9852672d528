/**
 * The shards of the records in Redis (D-21). A PC, the game sessions played on it and their deadlines share one shard, so that one script
 * can change them together, on a Redis Cluster too. The shard is the first hexadecimal digit of the digest in a PC's id, and of the UUID
 * in a game session's id.
 */
export const shards: readonly string[] = Array.from({ length: 16 }, (_, digit) => digit.toString(16));

const pcPrefix = 'pc_';
const gameSessionPrefix = 'gs_';

/** The shard of a PC id (`pc_` and 32 hexadecimal digits). */
export const shardOfPc = (pcId: string): string => pcId.charAt(pcPrefix.length);

/** The shard of a game session id (`gs_` and a UUID). */
export const shardOfGameSession = (gameSessionId: string): string =>
  gameSessionId.charAt(gameSessionPrefix.length);

/**
 * Makes tokens until the SHA-256 of one begins with the shard of the PC, about sixteen times, so that one script changes all tokens of a
 * PC (D-58).
 */
export const inShardOf = <T extends { readonly tokenHash: string }>(pcId: string, make: () => T): T => {
  for (;;) {
    const made = make();
    if (made.tokenHash.startsWith(shardOfPc(pcId))) return made;
  }
};

/**
 * A UUID of version 4 made of the first 32 digits of a hexadecimal digest: the same digest always gives the same id. What is packed in Redis is
 * read with this (D-57): who changes it misreads that.
 */
export const uuidOfDigest = (hex: string): string => {
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** The id of the game session that a presentation on a PC becomes (spec 2.2): the same presentation and PC always give the same id. */
export const gameSessionIdFor = (presentationId: string, pcId: string): string =>
  gameSessionPrefix + shardOfPc(pcId) + presentationId.slice(1);
