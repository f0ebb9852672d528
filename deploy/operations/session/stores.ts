import { z } from 'zod';
import type { Redis } from '#libs/redis/connection.ts';
import { shardOfGameSession } from '#libs/kernel/shards.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import { recordOf } from '#libs/records/store-context.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { redisAccess, redisSettings, withRedis } from '#libs/runtime/redis-settings.ts';
import { postgresSettings } from '#libs/runtime/settings.ts';
import { sessionsPrefix } from '../../../services/game-session/adapters/redis-sessions.ts';
import { sessionForm } from '../../../services/game-session/adapters/session-form.ts';
import type { LedgerEntry } from '../../../services/settlement/ledger/ports.ts';
import { postgresLedger } from '../../../services/settlement/ledger/postgres-ledger.ts';
import { commandLog } from '../operator.ts';

const limits = { lockTimeoutMs: 5_000, statementTimeoutMs: 5_000 };
const redisSchema = withRedis(z.object(redisSettings));

const readRecord = async (client: Redis, id: string): Promise<string> => {
  const hash = await client.hgetall(shardKey(sessionsPrefix)(shardOfGameSession(id), `record:${id}`));
  const session = recordOf(sessionForm, id, hash);
  if (session === undefined) return 'Redis: nothing is kept of it (any more)';
  const { state, version, lastSeenAtMs: seenMs, deadlineAtMs: dueMs, reminders } = session;
  const [seen, due] = [seenMs, dueMs].map((atMs) => new Date(atMs).toISOString());
  return `Redis: ${state}, version ${version}, last seen ${seen}, next due ${due}, reminded ${reminders} times`;
};

/** What Redis has of a session now, in one line. Says so where this process may not ask it. */
export const stateOf = async (env: NodeJS.ProcessEnv, id: string): Promise<string> => {
  if (!env['REDIS_URL'] && !env['REDIS_SENTINELS'] && !env['REDIS_NODES'])
    return 'Redis: not asked, it is not configured here';
  const log = commandLog('session');
  const server = redisAccess(readConfig(redisSchema, env));
  const redis = connectRedis({ server, log, metrics: createMetrics('session') });
  try {
    await redis.start(() => undefined);
    return await readRecord(redis.client, id);
  } catch (error) {
    return `Redis: could not be read (${(error as Error).message})`;
  } finally {
    await redis.stop();
  }
};

const findEntry = async (url: string, id: string): Promise<LedgerEntry | undefined> => {
  const connection = await openConnection(url, limits);
  try {
    return await postgresLedger(connection.db).find(id);
  } finally {
    await connection.end().catch(() => undefined);
  }
};

/** What the ledger says: its entry of a session, if there is one, or why it says nothing. */
interface Ledger {
  readonly entry?: LedgerEntry | undefined;
  readonly silent?: string;
}

/** The ledger's entry of a session, if there is one. Says so where this process may not ask for it, or cannot. */
export const entryOf = async (env: NodeJS.ProcessEnv, id: string): Promise<Ledger> => {
  const { DATABASE_URL: url } = readConfig(
    z.object({ DATABASE_URL: postgresSettings.DATABASE_URL.optional() }),
    env,
  );
  if (url === undefined) return { silent: 'not asked, it is not configured here' };
  try {
    return { entry: await findEntry(url, id) };
  } catch (error) {
    return { silent: `could not be read (${(error as Error).message})` };
  }
};

/** The ledger's line in words. */
export const ledgerLine = ({ entry, silent }: Ledger): string => {
  if (silent !== undefined) return `ledger: ${silent}`;
  if (entry === undefined) return 'ledger: no entry (yet)';
  const {
    playDurationSec,
    partnerPlayDurationSec: partnerSec,
    clientPlayDurationSec,
    endReason,
    endedAt,
  } = entry;
  const confirmed =
    partnerSec === null ? 'not confirmed by the partner' : `the partner confirmed ${partnerSec} s`;
  const client = clientPlayDurationSec === null ? '' : `, the game measured ${clientPlayDurationSec} s`;
  return `ledger: ${playDurationSec} s until ${endedAt}, ${endReason}; ${confirmed}${client}`;
};
