import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { costsOf, withCosts } from '../../../../../deploy/generate/charts/sizing/costs-of-bench.ts';
import { cpuMs } from '../../../../../deploy/generate/charts/sizing/measured-costs.ts';
import { root } from '../../../../charts/renders.ts';

const line = (phase: string, rate: number, ms: Record<string, number>, more = {}) =>
  JSON.stringify({
    ...{ phase, achieved_per_s: rate, launcher_beats_per_s: 0, cpu_ms_per_op: ms, seconds: 10 },
    ...more,
  });
const source = readFileSync(join(root, 'deploy/generate/charts/sizing/measured-costs.ts'), 'utf8');

describe('the costs that the bench has measured', () => {
  test('are those of the fastest line of a phase, without idling, the generator and the partner', () => {
    const lines = [
      line('ott', 20, { ott: 8.7 }),
      line('ott', 1_000, { ott: 0.41, settlement: 0.012, redis: 0.17, generator: 0.1, partner: 0.2 }),
    ];

    expect(costsOf(lines.join('\n'))).toEqual({ token: { ott: 0.4, redis: 0.16 } });
  });

  test("of launchers' heartbeats are what launcher-gateway did while sessions sent theirs", () => {
    const measured = line(
      'heartbeat',
      1_000,
      { 'launcher-gateway': 0.033, redis: 0.06, kafka: 0.138 },
      {
        launcher_beats_per_s: 100,
      },
    );

    expect(costsOf(measured)).toEqual({
      heartbeat: { redis: 0.05, kafka: 0.1 },
      'launcher heartbeat': { 'launcher-gateway': 0.2, redis: 0.05 },
    });
  });

  test('of an end are also what was done for it when all had ended', () => {
    const after = { after_s: 10, after_cpu_ms_per_op: { 'billing-adapter': 0.3, kafka: 0.09 } };
    const measured = line('end', 1_000, { 'billing-adapter': 0.022, kafka: 0.136 }, after);

    expect(costsOf(measured)).toEqual({ end: { 'billing-adapter': 0.3, kafka: 0.15 } });
  });

  test('are written in the place of the old ones, and nothing else is', () => {
    const table = { ...cpuMs, token: { ott: 7 } };

    const written = withCosts(source, table);

    expect(withCosts(source, cpuMs)).toBe(source);
    expect(written).toContain('  token: {\n    ott: 7,\n  },\n');
    expect(withCosts(written, cpuMs)).toBe(source);
  });

  test.each(['{"phase":"ott"}', 'no JSON', line('storm', 1, {})])('are not read from %s', (text) => {
    expect(() => costsOf(text)).toThrow();
  });
});
