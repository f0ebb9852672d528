import { join } from 'node:path';
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
const behindProxies = ['launcher-gateway', 'game-session', 'settlement'];

/** Readers of the release before know no bundles, so for as long as one of them may come back none are written (UPGRADING.md). */
const own = useManyStack({ KAFKA_BUNDLES: 'false' });

/** Replaces one replica after the other, each when the one before takes requests: two cores start no five processes at once beside players. */
const replaceAll = async (release: Release | undefined): Promise<void> => {
  for (const service of services)
    for (const name of [`${service}-1`, `${service}-2`]) {
      const replica = own.stack.service(name);
      await replica.stop();
      await replica.start(release && { entry: release.entryOf(service), env: release.envOf(service) });
      const takesRequests = () => !behindProxies.includes(service) || own.stack.proxied().includes(name);
      await until(takesRequests, `${name} to take requests`, recoveryMs);
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
