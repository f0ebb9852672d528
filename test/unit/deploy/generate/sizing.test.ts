import { presetText, presets } from '../../../../deploy/generate/charts/sizing/size-presets.ts';
import { assumed, sizeFor } from '../../../../deploy/generate/charts/sizing/size-for.ts';

const scales = [1, 10_000, 100_000, 1_000_000, 10_000_000];

describe('what a number of PCs needs, by what was measured', () => {
  test.each(scales)(
    '%d PCs: no pod has more to do than it may, and none idles for want of a partition',
    (pcs) => {
      const { cores, pods, partitions } = sizeFor(pcs);

      for (const [service, count] of Object.entries(pods)) {
        expect(cores[service as keyof typeof pods] / count).toBeLessThanOrEqual(assumed.utilization);
        expect(partitions).toBeGreaterThanOrEqual(2 * count);
      }
    },
  );

  test('a million PCs send 8,333 heartbeats a second, as many again of their launchers, and 833 verifies', () => {
    const { perSecond, rowsADay } = sizeFor(1_000_000);

    expect(Object.values(perSecond).map(Math.floor)).toEqual([8_333, 8_333, 833, 833, 833, 833]);
    expect(rowsADay).toBe(72_000_000);
  });

  test.each(Object.keys(presets) as (keyof typeof presets)[])(
    'preset %s scales between two numbers',
    (name) => {
      const ranges = [...presetText(name).matchAll(/min: (\d+)\n +max: (\d+)/g)];

      expect(ranges).toHaveLength(5);
      for (const [, min, max] of ranges) expect(Number(max)).toBeGreaterThan(Number(min));
    },
  );
});
