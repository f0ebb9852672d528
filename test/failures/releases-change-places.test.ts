import { join } from 'node:path';
import type { Supervised } from '../../deploy/local/supervisor.ts';
import { runCommand } from '../support/command.ts';
import { until } from '../support/eventually.ts';
import { inEveryBookOnce, visitDuring } from '../support/keep-visiting.ts';
import { useManyStack } from '../support/own-stack.ts';
import { hasPreviousRelease, writePreviousRelease } from '../support/previous-release.ts';
import type { Release } from '../support/previous-release.ts';

const recoveryMs = 30_000;
const testMs = 180_000;
const atOnce = 2;
const services = ['launcher-gateway', 'ott', 'billing-adapter', 'game-session', 'settlement'];

/** The release before knows no bundles and no packed records, so for as long as it may come back none are written (UPGRADING.md). */
const own = useManyStack({ KAFKA_BUNDLES: 'false', REDIS_PACKED: 'false' });

/** Who ends gets no more requests before it is told to end, as a pod of the chart. */
const replace = async (name: string, as: Parameters<Supervised['start']>[0]): Promise<void> => {
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
const replaceAll = async (release: Release | undefined): Promise<void> => {
  for (const service of services) {
    const as = release && { entry: release.entryOf(service), env: release.envOf(service) };
    for (const number of [1, 2]) await replace(`${service}-${number}`, as);
  }
};

test(
  'the release before takes the place of this one and gives it back while players play: no request fails, and every visit is in every book once',
  async () => {
    if (!(await hasPreviousRelease())) return;
    const before = await writePreviousRelease(own.dir, {
      catalog: join(own.dir, 'catalog'),
      ledgerUrl: own.stack.postgres.url,
    });

    const visits = await visitDuring(own.stack.facts(), atOnce, async ({ played }) => {
      for (const release of [before, undefined]) {
        await replaceAll(release);
        const sofar = played.length;
        await until(() => played.length >= sofar + 2 * atOnce, 'whole visits', recoveryMs);
      }
    });

    expect(visits.failed).toEqual([]);
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

    expect(visits.failed.filter((failed) => !failed.endsWith(' 503'))).toEqual([]);
    for (const visit of visits.played) await inEveryBookOnce(own.stack.facts(), visit);
  },
  testMs,
);
