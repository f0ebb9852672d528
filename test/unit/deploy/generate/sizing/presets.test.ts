import { serviceNames } from '#libs/contracts/topics.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { idleCores } from '../../../../../deploy/generate/charts/sizing/measured-costs.ts';
import {
  presetText,
  presetValues,
  presets,
} from '../../../../../deploy/generate/charts/sizing/size-presets.ts';
import { assumed, sizeFor } from '../../../../../deploy/generate/charts/sizing/size-for.ts';
import { sizingText } from '../../../../../deploy/generate/charts/sizing/sizing-table.ts';
import { primariesOf } from '../../../../../deploy/generate/charts/sizing/store-sizes.ts';
import { mostInFlight } from '../../../../../services/billing-adapter/config.ts';
import { root } from '../../../../charts/renders.ts';

type Preset = keyof typeof presets;

interface Resources {
  readonly requests: { readonly cpu: string };
}
interface Values {
  readonly defaults?: { readonly resources: Resources };
  readonly jobs?: { readonly resources: Resources };
  readonly services: Readonly<
    Record<string, { autoscaling: { kind?: string; min: number; max: number }; resources?: Resources }>
  >;
  readonly kafka: { readonly partitions: number };
  readonly redis?: { readonly mode: string };
  readonly partner?: {
    readonly inFlight: Readonly<Record<'check' | 'start' | 'stop', number>>;
    readonly retriesPerSecond: number;
  };
}
const valuesIn = (file: string): Values =>
  parse(readFileSync(join(root, 'charts/gsb', file), 'utf8')) as Values;
const live = valuesIn('values-live.yaml');
const usual = valuesIn('values.yaml');
const coresOf = (of: Resources | undefined): number => {
  const cpu = of?.requests?.cpu ?? 'none';
  return parseFloat(cpu) / (cpu.endsWith('m') ? 1_000 : 1);
};
const names = Object.keys(presets) as Preset[];

describe.each(names)('the preset %s', (name) => {
  const size = sizeFor(presets[name]);
  const preset = parse(presetText(name)) as Values;
  const rangeOf = (service: string) => preset.services[service]?.autoscaling ?? { min: 0, max: 0 };

  test('is the file of the chart', () => {
    expect(valuesIn(`values-size-${name}.yaml`)).toEqual(presetValues(name));
  });

  test.each(serviceNames)(
    '%s has 0.75 of a core to do at most where there are the fewest pods',
    (service) => {
      const busy = size.cores[service] / rangeOf(service).min + idleCores[service];

      expect(busy).toBeLessThanOrEqual(0.75);
    },
  );

  test.each(serviceNames)(
    '%s has 0.95 of a core to do at most where one of the fewest pods has gone',
    (service) => {
      const busy = size.cores[service] / (rangeOf(service).min - 1) + idleCores[service];

      expect(busy).toBeLessThanOrEqual(0.95);
    },
  );

  test.each(serviceNames)('%s may have as many pods as in live, and as many as the table says', (service) => {
    const { min, max } = rangeOf(service);
    const own = live.services[service]?.autoscaling;

    expect(min).toBeGreaterThanOrEqual(own?.min ?? Infinity);
    expect(max).toBeGreaterThanOrEqual(own?.max ?? Infinity);
    expect(max).toBeGreaterThan(size.pods[service]);
  });

  const requestOf = (service: string) =>
    coresOf(
      (preset.services[service] ?? {}).resources ?? preset.defaults?.resources ?? live.defaults?.resources,
    );

  test.each(serviceNames)('%s asks for what it has to do where there are the fewest pods', (service) => {
    const busy = size.cores[service] / rangeOf(service).min + idleCores[service];

    expect(requestOf(service)).toBeGreaterThanOrEqual(busy);
  });

  test('asks for whole cores where CPU scales alone, and for no more than the table says', () => {
    const asksForACore = serviceNames.filter((service) => requestOf(service) === 1);
    const podsOf = (service: (typeof serviceNames)[number]): number => {
      const isScaledByCpu = live.services[service]?.autoscaling.kind === 'cpu';
      return Math.max(rangeOf(service).min, isScaledByCpu ? size.pods[service] : 0);
    };
    const all = serviceNames.reduce((sum, each) => sum + podsOf(each) * requestOf(each), 0);

    expect(asksForACore.filter((each) => live.services[each]?.autoscaling.kind !== 'cpu')).toEqual([]);
    const [head, row] = [' cores requested ', ` ${name} `].map((cell) =>
      sizingText()
        .split('\n')
        .map((line) => line.split('|'))
        .find((cells) => cells.includes(cell)),
    );
    const told = Number(row?.[head?.indexOf(' cores requested ') ?? -1]);
    expect([told >= all, told < all + 1]).toEqual([true, true]);
  });

  test('has Jobs ask for a tenth of a core', () => {
    expect(coresOf({ ...live.jobs?.resources, ...preset.jobs?.resources } as Resources)).toBe(0.1);
  });

  test('has as many partitions as live, which never shrink, and two for each pod', () => {
    expect(preset.kafka.partitions).toBeGreaterThanOrEqual(live.kafka.partitions);
    expect(preset.kafka.partitions).toBeGreaterThanOrEqual(2 * Math.max(...Object.values(size.pods)));
  });

  test('is for a Redis Cluster where one Redis would have more than half a core to do', () => {
    expect(preset.redis?.mode === 'cluster').toBe(size.cores.redis > 0.5);
    expect(primariesOf(size).placed?.busiest).toBeLessThanOrEqual(0.5);
  });

  test('has room for its starts and stops at a partner who takes 100 ms, with the fewest pods (D-27)', () => {
    const { start, stop } = { ...usual.partner?.inFlight, ...preset.partner?.inFlight };
    const { min } = rangeOf('billing-adapter');
    const carried = (calls = 0) => (min * calls * assumed.utilization) / 0.1;

    expect(carried(start)).toBeGreaterThanOrEqual(size.perSecond.verify);
    expect(carried(stop)).toBeGreaterThanOrEqual(size.perSecond.end);
    expect(Math.max(start ?? 0, stop ?? 0)).toBeLessThanOrEqual(mostInFlight);
    const carriedWithoutOne = ((min - 1) * Math.min(start ?? 0, stop ?? 0) * 0.95) / 0.1;
    expect(carriedWithoutOne).toBeGreaterThanOrEqual(size.perSecond.verify);
  });

  test('has room to ask each minute about the address of every hundred PCs (D-45)', () => {
    const { check = 0 } = { ...usual.partner?.inFlight, ...preset.partner?.inFlight };
    const { min } = rangeOf('billing-adapter');

    expect((min * check * assumed.utilization) / 0.1).toBeGreaterThanOrEqual(presets[name] / 100 / 60);
  });

  test('makes an outage of an hour good within two, and has room for the usual calls beside it (D-27)', () => {
    const { inFlight, retriesPerSecond = 0 } = { ...usual.partner, ...preset.partner };
    const { min } = rangeOf('billing-adapter');
    const carried = (min * (inFlight?.start ?? 0)) / 0.1;

    expect(size.perSecond.verify / (min * retriesPerSecond)).toBeLessThanOrEqual(2);
    expect(size.perSecond.verify + min * retriesPerSecond).toBeLessThanOrEqual(0.9 * carried);
  });
});
