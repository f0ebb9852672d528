import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { inPostgres } from '../../support/in-postgres.ts';
import { startLoad } from '../load.ts';
import { leavingPods, drainedSec } from '../pods.ts';
import { kubectl, kubectlJson } from '../programs.ts';
import type { Pod } from '../pods.ts';
import { secret } from '../release.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';
import { playWithoutFailure, playsAgain } from '../under-load.ts';
import { judgeLoad } from './rollouts.ts';

const requestsPerSec = 20;
const password = () => randomBytes(12).toString('hex');

/** One connection for all commands: the password with which it was opened may be gone after the first. */
const inRedis = async (url: string, ...commands: [string, ...string[]][]): Promise<void> => {
  const redis = new Redis(url);
  try {
    for (const command of commands) await redis.call(...command);
  } finally {
    redis.disconnect();
  }
};

const podNames = async (): Promise<string[]> =>
  (await kubectlJson<{ items: Pod[] }>('get', 'pods', '--selector', 'app.kubernetes.io/name=gsb')).items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);

/** Nobody signs in to Postgres as the first role while the work is done. It owns the ledger, so it is let in again: the test itself reads as it. */
const withoutFirstRole = async <T>(url: string, work: () => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('alter role gsb nologin');
    return await work();
  } finally {
    await client.query('alter role gsb login').finally(() => client.end());
  }
};

/** Who is signed in with a first password stays so: every connection is made anew. */
const takeFirstAway = async ({ kafka, redis }: ContextWithoutPlayers['stores']): Promise<void> => {
  await kafka.lockOut('gsb');
  await inRedis(
    redis.url,
    ['ACL', 'SETUSER', 'default', `<${new URL(redis.url).password}`],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
  );
};

const firstInPostgres =
  "select from pg_stat_activity where usename = 'gsb' and backend_type = 'client backend' and pid <> pg_backend_pid()";

/** The README's four steps: a second user, the Secret, helm upgrade, and the first one goes. */
export const rotatePasswords = async (context: ContextWithoutPlayers): Promise<void> => {
  const { report, release, place, callers, stores } = context;
  const { kafka, redis, postgres } = stores;
  const [ofRedis, ofPostgres] = [password(), password()];
  await report.step('Kafka, Redis and Postgres take second users, or passwords', async () => {
    await inRedis(redis.url, ['ACL', 'SETUSER', 'default', `>${ofRedis}`]);
    await inPostgres(postgres.url, `create role gsb_b login password '${ofPostgres}' in role gsb`);
    const items = [
      secret('gsb-kafka', { username: 'gsb-b', password: kafka.users.get('gsb-b') ?? '' }),
      secret('gsb-redis', { password: ofRedis }),
      secret('gsb-postgres', { username: 'gsb_b', password: ofPostgres }),
    ];
    await kubectl(['apply', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return undefined;
  });
  const load = startLoad(callers, requestsPerSec);
  await report.step('under load: helm upgrade with the same values replaces every pod', async () => {
    const before = await podNames();
    await release.upgrade(place.GSB_IMAGE.tag);
    await within(drainedSec, 'the old pods gone', leavingPods, (count) => count === 0);
    const kept = (await podNames()).filter((name) => before.includes(name));
    must(kept.length === 0, `not replaced: ${kept.join(' ')}`);
    return undefined;
  });
  await report.step(
    `under load of ${requestsPerSec}/s: no request failed while passwords changed`,
    async () => judgeLoad(context, 'the load while passwords changed', await load.stop()),
  );
  await report.step('nobody is left who signs in to Postgres as before', async () => {
    const { rows } = await inPostgres(postgres.url, firstInPostgres);
    must(rows.length === 0, `${rows.length} are signed in as the first role`);
    return undefined;
  });
  await report.step('play goes on without the first users of Kafka, Redis and Postgres', () =>
    withoutFirstRole(postgres.url, async () => {
      await takeFirstAway(stores);
      await playsAgain(context, 'play with the second users');
      return playWithoutFailure(context, 'afterwards');
    }),
  );
};
