import { comparisonOf, medianOf, sideOf } from '../../../bench/compare.ts';
import { readOptions } from '../../../bench/options.ts';
import { phases } from '../../../bench/phases.ts';
import { pictureOf } from '../../../bench/picture.ts';
import { cpuMsPerOp, lineOf, wrongOf } from '../../../bench/report.ts';
import type { PhaseReport } from '../../../bench/report.ts';
import { rowsOf, tableOf } from '../../../bench/table.ts';
import { targets } from '../../../bench/targets.ts';

const report = (phase: keyof typeof phases, achieved: number, p99Ms: number, wrong = 0): PhaseReport => ({
  order: { phase, ratePerSec: phases[phase].ratePerSec, seconds: 10, warmUpSec: 1, sessions: 100 },
  result: {
    ...{ ok: achieved * 10, wrong, errors: 0, reasons: {}, achieved: achieved * 10, requests: achieved * 10 },
    ...{ p50Ms: 1, p99Ms, p999Ms: p99Ms, maxMs: p99Ms, warmUpP99Ms: 1, seconds: 10, connections: 512 },
    beside: { launcherBeats: 0, wrong: 0 },
    slices: [{ atSec: 0, isWarmUp: false, answered: 10, notOk: 0, p50Ms: 1, p99Ms, maxMs: p99Ms }],
  },
  cpuMs: {
    ...{ 'launcher-gateway': 0, ott: 0, 'billing-adapter': 0, settlement: 0, redis: 0, postgres: 0 },
    ...{ 'game-session': 1_000, kafka: 500, generator: 300, partner: 100 },
  },
  ...{ rssMb: { 'game-session': 120 }, rssGrownMb: { 'game-session': 7 } },
});

const figures = (reports: readonly PhaseReport[], of: 'heartbeat' | 'storm' | 'mixed') =>
  rowsOf(
    targets.filter(({ phase, rate }) => phase === of && rate === undefined),
    reports,
  ).map(({ target, measured, holds }) => [target.what, measured, holds]);

describe('the table of what must hold', () => {
  test('has the figures of the run beside it', () => {
    const rows = figures([report('heartbeat', 3_060, 36)], 'heartbeat');

    expect(rows).toContainEqual(['right answers a second', 3_060, true]);
    expect(rows).toContainEqual(['p99, ms', 36, true]);
    expect(rows).toContainEqual(['CPU, ms', 1_500 / 30_600, true]);
  });

  test.each([
    ['too few answers', report('heartbeat', 3_049, 36), 'right answers a second'],
    ['answers that come late', report('heartbeat', 3_060, 38), 'p99, ms'],
    ['one wrong answer', report('heartbeat', 3_060, 36, 1), 'wrong answers'],
  ])('does not hold with %s', (_what, given, what) => {
    expect(figures([given], 'heartbeat').find(([name]) => name === what)?.[2]).toBe(false);
  });

  test('does not hold where nothing was measured', () => {
    expect(rowsOf(targets, []).every(({ holds }) => !holds)).toBe(true);
    expect(tableOf(rowsOf(targets, [])).join('\n')).toContain('—');
  });

  test('has what others did meanwhile, who fell silent at once or live and say nothing', () => {
    const beat = report('heartbeat', 500, 50);
    const slow = { ...beat, order: { ...beat.order, ratePerSec: 500 } };
    const silent = { ...slow, silence: { sessions: 100_000, sweptSec: 18 } };
    const beside = { ...slow, besideLive: { sessions: 200_000, cpuRatio: 1.1 } };
    const rows = rowsOf(
      targets.filter(({ rate }) => rate === 500),
      [report('heartbeat', 3_060, 36), silent, slow, beside],
    );

    expect(rows.map(({ target, measured, holds }) => [target.what, measured, holds])).toEqual([
      ['100,000 silent at once: swept, s', 18, false],
      ['100,000 silent at once: p99 of others, ms', 50, true],
      ['200,000 live: CPU, ratio to 2,000', 1.1, true],
    ]);
  });

  test('does not hold where the processes of a store are not known, and counts those of replicas', () => {
    const given = report('heartbeat', 3_060, 36);
    const { kafka: _, ...others } = given.cpuMs;
    const cpu = (cpuMs: PhaseReport['cpuMs']) =>
      figures([{ ...given, cpuMs }], 'heartbeat').find(([what]) => what === 'CPU, ms')?.[1];

    expect(cpu(others)).toBeUndefined();
    expect(cpu({ ...others, 'kafka-1': 250, 'kafka-2': 250 })).toBe(1_500 / 30_600);
  });

  test('has the largest service, also where it has replicas', () => {
    const rss = (rssMb: PhaseReport['rssMb']) =>
      rowsOf(targets, [{ ...report('mixed', 1_500, 36), rssMb }]).find(({ target }) =>
        target.what.startsWith('RSS of'),
      );

    expect(rss({ 'ott-1': 90, 'ott-2': 200, kafka: 500 })).toMatchObject({ measured: 200, holds: false });
    expect(rss({ kafka: 500 })).toMatchObject({ measured: undefined, holds: false });
  });

  test('does not hold where a request of a storm had no answer', () => {
    const storm = report('storm', 2_900, 100);
    const reset = {
      ...storm,
      result: { ...storm.result, errors: 3, reasons: { reset: 2, '503 UNAVAILABLE': 1 } },
    };

    expect(figures([reset], 'storm')).toContainEqual(['requests without an answer', 2, false]);
  });

  test('does not hold where players who come and go are refused', () => {
    const given = report('mixed', 1_484, 36);
    const refused = { errors: 160, reasons: { '503 UNAVAILABLE': 160 } };

    const rows = figures([{ ...given, result: { ...given.result, ...refused } }], 'mixed');

    expect(rows).toContainEqual(['right answers a second', 1_484, false]);
    expect(figures([report('mixed', 1_485, 36)], 'mixed')).toContainEqual([
      'right answers a second',
      1_485,
      true,
    ]);
  });

  test('counts wrong answers beside what is measured', () => {
    const given = report('heartbeat', 3_060, 36, 1);
    const beside = { launcherBeats: 0, wrong: 2 };

    const said: string[] = [];

    const wrong = wrongOf([{ ...given, result: { ...given.result, beside } }], (line) => said.push(line));

    expect(wrong).toBe(3);
    expect(said).toEqual(['  3 answers were wrong, those beside what is measured among them']);
  });

  test('compares the goodput of the storm with the usual one', () => {
    const rows = figures([report('heartbeat', 3_060, 36), report('storm', 2_448, 100)], 'storm');

    expect(rows).toContainEqual(['goodput at twice the rate', 0.8, false]);
  });
});

describe('the line of a phase', () => {
  test('counts the CPU of the product without that of its callers', () => {
    const line = lineOf(report('heartbeat', 100, 5));

    expect(cpuMsPerOp(report('heartbeat', 100, 5))).toBe(1.5);
    expect(line.cpu_ms_per_op).toMatchObject({ all: 1.5, 'game-session': 1, generator: 0.3 });
    expect(line.cpu_cores).toMatchObject({ 'game-session': 0.1 });
  });

  test('has a ratio to the ceiling where that was measured', () => {
    const ceiling = { perSec: 20_000, achievedPerSec: 15_000, serverCores: 0.75 };

    expect(lineOf({ ...report('heartbeat', 3_000, 5), ceiling }).ratio_to_ceiling).toBe(0.15);
  });

  test('comes with a picture that needs no other file', () => {
    const page = pictureOf([report('heartbeat', 100, 5)], ['a table']);

    expect(page).toContain('<svg');
    expect(page).not.toMatch(/src=|href=|https?:/);
  });
});

describe('two settings', () => {
  test('are compared by their medians', () => {
    const first = [100, 300, 200].map((achieved) => report('heartbeat', achieved, 10));
    const second = [220, 180].map((achieved) => report('heartbeat', achieved, 20));

    const rows = comparisonOf(first, second);

    expect(rows.find(({ what }) => what === 'achieved_per_s')).toMatchObject({ a: 200, b: 200, ratio: 1 });
    expect(rows.find(({ what }) => what === 'p99_ms')?.ratio).toBe(2);
    expect(medianOf([4, 1])).toBe(2.5);
  });

  test('are a checkout, settings of the environment, or both', () => {
    expect(sideOf('A=1 B=x=y').env).toEqual({ A: '1', B: 'x=y' });
    expect(sideOf('-').folder).toBe(sideOf('A=1').folder);
    expect(sideOf('.').folder).toBe(process.cwd());
    expect(() => sideOf('/nowhere')).toThrow('neither a checkout');
  });
});

describe('the command line', () => {
  test('has a number for everything', () => {
    const read = readOptions(['--phase', 'heartbeat@50,end', '--rate', '3000', '--seconds', '30']);

    expect(read).toMatchObject({
      phase: [{ phase: 'heartbeat', rate: 50 }, { phase: 'end' }],
      rate: 3_000,
      seconds: 30,
      sessions: 20_000,
    });
  });

  test('compares slices for which the players of the other side can wait twice in a row', () => {
    expect(readOptions(['--compare=-,A=1', '--seconds', '95']).seconds).toBe(95);
    expect(readOptions(['--seconds', '600']).seconds).toBe(600);
  });

  test.each([
    [['--phase', 'nonsense'], '--phase must be of heartbeat'],
    [['--rate', 'fast'], '--rate must be a number'],
    [['--sessions', '0'], '--sessions must be at least 1'],
    [['--all', '--phase', 'end'], '--all and --phase'],
    [['--all', '--rate', '5'], '--all has rates of its own'],
    [['--phase', 'end@99999999'], '@RATE must be at most 200000'],
    [['--phase', 'end,batch', '--compare', '.,.'], '--compare measures a single --phase'],
    [['--compare', 'A=1'], '--compare needs two settings'],
    [['--compare=-,A=1', '--seconds', '96'], '--seconds and --warmup must be at most 100 together'],
    [['--live', '9', '--phase', 'end,batch'], '--live needs a single --phase'],
    [['--live', '9', '--silent', '9'], '--live needs a single --phase'],
    [['--speed', '9'], "Unknown option '--speed'"],
  ])('refuses %j', (args, told) => {
    expect(() => readOptions(args)).toThrow(told);
  });
});
