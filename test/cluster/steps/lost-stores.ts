import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from '../../../deploy/local/cache.ts';
import { inPostgres } from '../../support/in-postgres.ts';
import { ledgersAgree } from '../compare-ledgers.ts';
import { seatPlayers } from '../load.ts';
import { kubectl } from '../programs.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { within } from '../step-report.ts';
import { partitionsOf } from '../topic-partitions.ts';
import { playWithoutFailure, playsAgain } from '../under-load.ts';

const restart = async (...what: string[]): Promise<void> => {
  await kubectl(['rollout', 'restart', ...what]);
  await kubectl(['rollout', 'status', ...what, '--timeout=240s']);
};

const loseRedis = async (context: ContextWithoutPlayers): Promise<string> => {
  const { stores, run, callers } = context;
  const { redis } = stores;
  const seated = await seatPlayers(callers, 3);
  await redis.stop();
  rmSync(join(run.dir, 'redis'), { recursive: true });
  mkdirSync(join(run.dir, 'redis'));
  await redis.restart();
  const lost = () => seated.lost().catch(() => ['no answer']);
  const { tookSec } = await within(60, 'their sessions', lost, (all) => all.length === 0);
  // Their launchers start again; their sessions end by themselves.
  await seated.leave().catch(() => undefined);
  // What was signed up to the second in which Redis came back may have been used before, and is 503 (D-44).
  await playsAgain(context, 'play after the loss of Redis');
  return `three sessions are there again ${tookSec.toFixed(1)} s after Redis is`;
};

/** RECOVERY.md, Kafka: with as many partitions as topics have grown to. */
const loseKafka = async (context: ContextWithoutPlayers): Promise<string> => {
  const { stores, release, place } = context;
  const partitions = Math.max(...(await partitionsOf(stores.kafka.brokers)).values());
  await stores.kafka.lose();
  await release.upgrade(place.GSB_IMAGE.tag, [`kafka.partitions=${partitions}`]);
  await inPostgres(stores.postgres.url, 'truncate log_positions');
  await restart('deployment');
  return playWithoutFailure(context, 'after the loss of Kafka');
};

/** A backup that is older than the last visits is put back; the log has those. */
const losePostgres = async (context: ContextWithoutPlayers): Promise<string> => {
  const { stores, sessions, run } = context;
  const { postgres } = stores;
  const { rows } = await inPostgres<{ data_directory: string }>(postgres.url, 'show data_directory');
  const [data, backup] = [rows[0]?.data_directory ?? '', join(run.dir, 'backup')];
  await postgres.stop();
  await execute('cp', ['-a', data, backup]);
  await postgres.restart();
  await playWithoutFailure(context, 'after the backup');
  await ledgersAgree(stores, sessions);
  await postgres.kill();
  await execute('rm', ['-rf', data]);
  await execute('cp', ['-a', backup, data]);
  await postgres.restart();
  await restart('deployment/gsb-settlement');
  return ledgersAgree(stores, sessions);
};

/** Each store is lost with all that it held, and made whole as RECOVERY.md says. */
export const loseStores = async (context: ContextWithoutPlayers): Promise<void> => {
  const { report, stores, sessions } = context;
  await report.step('all that Redis held is lost: nothing to do', () => loseRedis(context));
  await report.step('no request fails after it', () =>
    playWithoutFailure(context, 'after the loss of Redis'),
  );
  await report.step('all books agree before Kafka is lost', () => ledgersAgree(stores, sessions));
  await report.step('all that Kafka held is lost: topics, an empty list of positions, a restart', () =>
    loseKafka(context),
  );
  await report.step('all that Postgres held is lost: a backup, and what the log has since', () =>
    losePostgres(context),
  );
};
