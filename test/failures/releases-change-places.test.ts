import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { shardOfGameSession } from '#libs/kernel/shards.ts';
import { shardKey } from '#libs/records/shard-key.ts';
import type { StartedAs, Supervised } from '../../deploy/local/supervisor.ts';
import { sessionsPrefix } from '../../services/game-session/adapters/redis-sessions.ts';
import { runCommand } from '../support/command.ts';
import { until } from '../support/eventually.ts';
import { asker, inEveryBookOnce, visitDuring } from '../support/keep-visiting.ts';
import type { FailedCall } from '../support/keep-visiting.ts';
import { useManyStack } from '../support/own-stack.ts';
import { hasPreviousRelease, writePreviousRelease } from '../support/previous-release.ts';
import { notBySilence, silencesDuring } from '../support/silences.ts';
import { newPlayer } from '../support/suite-stack.ts';

const recoveryMs = 30_000;
const testMs = 480_000;
const atOnce = 2;
const withRecords = ['launcher-gateway', 'ott', 'game-session'];
const services = [...withRecords, 'billing-adapter', 'settlement'];

/** The release before knows no bundles, so for as long as it may come back none are written (UPGRADING.md). Records are packed. */
const own = useManyStack({ KAFKA_BUNDLES: 'false' });

/** Who ends gets no more requests before it is told to end, as a pod of the chart. */
const replace = async (name: string, as: StartedAs): Promise<void> => {
  const replica = own.stack.service(name);
  const proxies = own.stack.proxies.filter((proxy) => proxy.ready().includes(name));
  for (const proxy of proxies) proxy.hold(name);
  await replica.stop();
  await replica.start(as);
  for (const proxy of proxies) proxy.release(name);
  const takesRequests = () => proxies.every((proxy) => proxy.ready().includes(name));
  await until(takesRequests, `${name} to take requests`, recoveryMs);
};

/** Replaces one replica after the other, each when the one before takes requests: two cores start no five processes at once beside players. */
const replaceAll = async (names: readonly string[], as: (service: string) => StartedAs): Promise<void> => {
  for (const service of names)
    for (const number of [1, 2]) await replace(`${service}-${number}`, as(service));
};

/** What a rollback begins with: this release writes the records that the one before knows (UPGRADING.md). */
const unpacked = (): StartedAs => ({ env: { REDIS_PACKED: 'false' } });

const isPacked = async (id: string): Promise<boolean> => {
  const redis = new Redis(own.stack.facts().redis.url);
  const key = shardKey(sessionsPrefix)(shardOfGameSession(id), `record:${id}`);
  try {
    return (await redis.hexists(key, 'json')) === 0;
  } finally {
    redis.disconnect();
  }
};

/** What today's services say that a 503 came from. */
const answered503 = (): string[] =>
  services.flatMap((service) =>
    [1, 2]
      .flatMap((number) =>
        readFileSync(join(own.dir, 'logs', `${service}-${number}.log`), 'utf8').split('\n'),
      )
      .filter((line) => line.includes('requests were answered 503')),
  );

/** A player who stays, whatever takes the place of what. */
const stayingPlayer = async () => {
  const { pc, server, id, user } = await newPlayer(own.stack.facts());
  const failed: FailedCall[] = [];
  const ask = asker(failed);
  return {
    id,
    failed,
    beat: async (): Promise<void> => {
      await ask('launcher heartbeat', () => pc.heartbeat());
      await ask('heartbeat', () => server.heartbeat(id, user));
    },
    end: async () => {
      const ended = await server.end(id);
      return { id, user, seconds: ended.ok ? ended.data.playDurationSec : -1 };
    },
  };
};

test(
  'the release before takes the place of this one, which had packed its records, and gives it back while players play: no request fails, and every visit is in every book once',
  async () => {
    if (!(await hasPreviousRelease())) return;
    const before = await writePreviousRelease(own.dir, {
      catalog: join(own.dir, 'catalog'),
      ledgerUrl: own.stack.postgres.url,
    });
    const asBefore = (service: string) => ({ entry: before.entryOf(service), env: before.envOf(service) });
    const player = await stayingPlayer();
    const packed = [await isPacked(player.id)];

    const replacing = () =>
      visitDuring(own.stack.facts(), atOnce, async ({ played }) => {
        const beatAndVisit = async () => {
          await player.beat();
          const sofar = played.length;
          await until(() => played.length >= sofar + 2 * atOnce, 'whole visits', recoveryMs);
        };
        await beatAndVisit();
        await replaceAll(withRecords, unpacked);
        await beatAndVisit();
        packed.push(await isPacked(player.id));
        for (const release of [asBefore, unpacked]) {
          await replaceAll(services, release);
          await beatAndVisit();
        }
      });
    const { done: visits, silences } = await silencesDuring(own.stack.facts(), replacing);
    visits.played.push(await player.end());

    expect(packed).toEqual([true, false]);
    // Who had no core for as long as Redis is waited for is no matter of releases.
    const failed = notBySilence([...player.failed, ...visits.failed], silences);
    const known = failed.length > 0 ? { silences, logged: answered503() } : {};
    expect({ failed, ...known }).toEqual({ failed: [] });
    for (const visit of visits.played) await inEveryBookOnce(own.stack.facts(), visit);
    const brokers = { KAFKA_BROKERS: own.stack.kafka.brokers.join(',') };
    const { out } = await runCommand('deploy/operations/dead-letters/main.ts', ['list'], brokers);
    expect(out).toContain('0 dead letters');
  },
  testMs,
);

const mostReplicas = 6;

test(
  'replicas grow from two to six and shrink to two while players play: nothing but a 503 is heard, and every visit is in every book once',
  async () => {
    const growing = ['ott', 'billing-adapter', 'game-session', 'settlement'] as const;

    const visits = await visitDuring(own.stack.facts(), atOnce, async ({ played }) => {
      const added: Supervised[] = [];
      const visited = async (): Promise<void> => {
        const sofar = played.length;
        await until(() => played.length >= sofar + 2 * atOnce, 'whole visits', recoveryMs);
      };
      for (let count = 2; count < mostReplicas; count += 1)
        added.push(...(await Promise.all(growing.map((service) => own.stack.addReplica(service)))));
      await visited();
      for (const replica of added.toReversed()) await replica.stop();
      await visited();
    });

    expect(visits.failed.filter(({ status }) => status !== 503)).toEqual([]);
    for (const visit of visits.played) await inEveryBookOnce(own.stack.facts(), visit);
  },
  testMs,
);
