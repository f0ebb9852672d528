import { serviceNames } from '#libs/contracts/topics.ts';
import { idleCores } from '../../../../../deploy/generate/charts/sizing/measured-costs.ts';
import {
  assumed,
  mostPcs,
  releasesFor,
  sizeFor,
} from '../../../../../deploy/generate/charts/sizing/size-for.ts';
import {
  connectionsOf,
  kafkaBytesOf,
  ledgerOf,
  primariesOf,
  rebuildSecOf,
} from '../../../../../deploy/generate/charts/sizing/store-sizes.ts';
import { maxSurge } from '../../../../../deploy/generate/charts/sizing/live-values.ts';
import { presetValues, presets } from '../../../../../deploy/generate/charts/sizing/size-presets.ts';
import { mostInFlight } from '../../../../../services/billing-adapter/config.ts';

const names = Object.keys(presets) as (keyof typeof presets)[];
const scales = [1, 10_000, 100_000, 1_000_000, 4_000_000];

describe('what a number of PCs needs, by what was measured', () => {
  test.each(scales)(
    '%d PCs: no pod has more to do than it may, and none idles for want of a partition',
    (pcs) => {
      const { cores, pods, partitions } = sizeFor(pcs);

      for (const service of serviceNames) {
        const busy = cores[service] / pods[service] + idleCores[service];
        expect(busy).toBeLessThanOrEqual(assumed.utilization);
        expect(partitions).toBeGreaterThanOrEqual(2 * pods[service]);
      }
    },
  );

  test.each(scales)('%d PCs: the partner is called by pods that have slots for it', (pcs) => {
    const { perSecond, fewestPods: pods, inFlight } = sizeFor(pcs);
    const needed = perSecond.verify * assumed.partnerLatencySec;

    expect(pods['billing-adapter'] * inFlight * assumed.utilization).toBeGreaterThanOrEqual(needed);
    expect(inFlight).toBeLessThanOrEqual(mostInFlight);
  });

  test('a million PCs send 8,333 heartbeats a second, as many again of their launchers, and 833 verifies', () => {
    expect(Object.values(sizeFor(1_000_000).perSecond).map(Math.floor)).toEqual([
      ...[8_333, 8_333, 833, 833, 833, 833],
    ]);
  });

  test('PCs that one hot view is not enough for are divided among releases that each has one', () => {
    const pcs = 10_000_000;
    const releases = releasesFor(pcs);

    expect(primariesOf(sizeFor(mostPcs())).placed?.busiest).toBeCloseTo(assumed.redisUtilization);
    expect(primariesOf(sizeFor(1.01 * mostPcs())).placed).toBeUndefined();
    expect(releases).toBe(Math.ceil(pcs / mostPcs()));
    expect(primariesOf(sizeFor(pcs / releases)).placed).toBeDefined();
  });
});

describe('what the stores of a million PCs need', () => {
  const size = sizeFor(1_000_000);

  test('36 million sessions a day are twice as many rows', () => {
    expect(ledgerOf(size).rowsADay).toBe(72_000_000);
  });

  test('Kafka keeps a week of sessions and a day of heartbeats, and more than is written in a day', () => {
    const { aDay, kept } = kafkaBytesOf(size);
    const days = kept / aDay;

    expect(days).toBeGreaterThan(1);
    expect(days).toBeLessThan(7);
    expect(aDay / 1e12).toBeCloseTo(1, 0);
  });

  test('a lost hot view is whole again sooner where more replicas share the log', () => {
    const alone = { ...size, fewestPods: { ...size.fewestPods, 'game-session': 1 } };

    expect(rebuildSecOf(size)).toBeLessThan(rebuildSecOf(alone));
  });

  test.each(names)(
    '%s: Postgres takes the connections of every settlement pod that autoscaling and a rollout make',
    (name) => {
      const { max } = presetValues(name).services['settlement']!.autoscaling;

      expect(connectionsOf(sizeFor(presets[name])).postgres).toBe((max + maxSurge) * 12);
    },
  );

  test('connections grow with pods', () => {
    const [few, many] = [connectionsOf(size), connectionsOf(sizeFor(4_000_000))];

    expect(many.kafka).toBeGreaterThan(few.kafka);
    expect(many.redis).toBeGreaterThan(few.redis);
  });
});
