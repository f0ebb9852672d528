import { Redis } from 'ioredis';
import { z } from 'zod';
import { ottRecord } from '#libs/contracts/events/otts.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { eventNameOf } from '#libs/kafka/fetched-message.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { topicsOf } from '#libs/kafka/topics-of.ts';
import { recordOf } from '#libs/records/store-context.ts';
import { ottForm } from '../../services/ott/adapters/ott-form.ts';
import { tokenChanges } from '../../services/ott/adapters/otts-from-log.ts';
import { ottsPrefix } from '../../services/ott/adapters/redis-otts.ts';
import type { LineOf } from './history.ts';

/** The digits of a SHA-256, with which a token's key ends. */
const hashLength = 64;
const event = z.object({ ott: ottRecord });
type Token = z.output<typeof ottRecord>;

const sessionOf = ({ claim, token_hash: hash }: Token): string => claim?.game_session_id ?? hash;
const claimed = (tokens: Iterable<Token>): string[] =>
  [...tokens].filter(({ state }) => state === 'claimed').map(sessionOf);

/** The newest version of every token, as the log has it. */
const tokensOnLog = async (kafka: KafkaConnection): Promise<ReadonlyMap<string, Token>> => {
  const newest = new Map<string, Token>();
  await withLogReader({ kafka, topics: topicsOf(tokenChanges) }, async (log) =>
    log.read(await log.rangesSince(0), (messages) => {
      for (const { message } of messages) {
        const read = event.safeParse(JSON.parse(message.value?.toString() ?? 'null'));
        if (!read.success || !eventNameOf(message)?.startsWith('ott.')) continue;
        const { ott } = read.data;
        if (ott.version >= (newest.get(ott.token_hash)?.version ?? 0)) newest.set(ott.token_hash, ott);
      }
    }),
  );
  return newest;
};

const claimedInServer = async (url: string): Promise<string[]> => {
  const redis = new Redis(url, { lazyConnect: true, connectTimeout: 2_000, maxRetriesPerRequest: 1 });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const found: string[] = [];
    for await (const keys of redis.scanStream({ match: `${ottsPrefix}:{*}:record:*`, count: 1_000 })) {
      const read = async (key: string) => recordOf(ottForm, key.slice(-hashLength), await redis.hgetall(key));
      const tokens = await Promise.all((keys as string[]).map(read));
      const held = tokens.filter((token) => token?.state === 'claimed');
      found.push(...held.flatMap((token) => token?.claim?.gameSessionId ?? token?.tokenHash ?? []));
    }
    return found;
  } finally {
    redis.disconnect();
  }
};

/** The game sessions of the tokens that servers of Redis have as `claimed`. */
export const claimedInRedis = async (urls: readonly string[]): Promise<string[]> =>
  (await Promise.all(urls.map(claimedInServer))).flat();

/** Which tokens are left in `claimed`, on the log and in Redis. */
export const readClaims = async (
  kafka: KafkaConnection,
  redisUrls: readonly string[],
): Promise<LineOf<'claims'>> => {
  const tokens = await tokensOnLog(kafka);
  const [log, redis] = [claimed(tokens.values()), await claimedInRedis(redisUrls)];
  return { kind: 'claims', tokens: tokens.size, log, redis };
};
