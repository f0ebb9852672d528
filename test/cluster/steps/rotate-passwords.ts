import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { startLoad } from '../load.ts';
import { leavingPods, drainedSec } from '../pods.ts';
import { kubectl, kubectlJson } from '../programs.ts';
import type { Pod } from '../pods.ts';
import { secret } from '../release.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';
import { judgeLoad } from './rollouts.ts';

const requestsPerSec = 20;
const playMs = 6_000;
const password = () => randomBytes(12).toString('hex');

const inRedis = async (url: string, ...command: [string, ...string[]]): Promise<void> => {
  const redis = new Redis(url);
  await redis.call(...command).finally(() => redis.disconnect());
};
const inPostgres = async (url: string, text: string): Promise<number> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client
    .query(text)
    .then(({ rowCount }) => rowCount ?? 0)
    .finally(() => client.end());
};

const podNames = async (): Promise<string[]> =>
  (await kubectlJson<{ items: Pod[] }>('get', 'pods', '--selector', 'app.kubernetes.io/name=gsb')).items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);

/** The README's four steps: a second user, the Secret, helm upgrade, and the first one goes. */
export const rotatePasswords = async (context: ContextWithoutPlayers): Promise<void> => {
  const { report, release, place, callers, stores } = context;
  const { kafka, redis, postgres } = stores;
  const [ofRedis, ofPostgres] = [password(), password()];
  const judge = (name: string, load: Awaited<ReturnType<ReturnType<typeof startLoad>['stop']>>) =>
    judgeLoad(context, name, load);
  await report.step('Kafka, Redis and Postgres take second users, or passwords', async () => {
    await inRedis(redis.url, 'ACL', 'SETUSER', 'default', `>${ofRedis}`);
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
    async () => judge('the load while passwords changed', await load.stop()),
  );
  await report.step(
    'nobody is left who signs in as before, and play goes on without the first passwords',
    async () => {
      const first =
        "select from pg_stat_activity where usename = 'gsb' and backend_type = 'client backend' and pid <> pg_backend_pid()";
      must(
        (await inPostgres(postgres.url, first)) === 0,
        'somebody is signed in as the first role of Postgres',
      );
      await inRedis(redis.url, 'ACL', 'SETUSER', 'default', `<${new URL(redis.url).password}`);
      const afterwards = startLoad(callers, requestsPerSec);
      await new Promise((resolve) => setTimeout(resolve, playMs));
      return judge('the load afterwards', await afterwards.stop());
    },
  );
};
