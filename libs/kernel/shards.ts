/**
 * Where a record lives. A PC, the game sessions played on it and their deadlines share one shard, so that one script can change them
 * together, on a Redis Cluster too. The first hexadecimal digit of the id names the shard: of the digest in a PC's
 * id, of the UUID in a game session's.
 */
export const shards = [...'0123456789abcdef'] as const;

const pcPrefix = 'pc_';
const gameSessionPrefix = 'gs_';

/** The shard of a PC id (`pc_` and 32 hexadecimal digits). */
export const shardOfPc = (pcId: string): string => pcId.charAt(pcPrefix.length);

/** The shard of a game session id (`gs_` and a UUID). */
export const shardOfGameSession = (gameSessionId: string): string =>
  gameSessionId.charAt(gameSessionPrefix.length);

/** The id of the game session that a presentation becomes on a PC: the same two always give the same id (spec 2.2). */
export const gameSessionIdFor = (presentationId: string, pcId: string): string =>
  gameSessionPrefix + shardOfPc(pcId) + presentationId.slice(1);
