import { createHistogram } from '../../../bench/histogram.ts';
import { createRecorder } from '../../../bench/recorder.ts';
import { ok } from '../../../bench/answers.ts';
import { scheduleOf } from '../../../bench/schedule.ts';

describe('the schedule of an open loop', () => {
  const schedule = scheduleOf(1_000, 200, 3);

  test('sends at a fixed rate, and no more than that', () => {
    expect(schedule.total).toBe(600);
    expect([999, 1_000, 1_004.9, 1_005, 3_999, 9_999].map(schedule.dueBy)).toEqual([0, 1, 1, 2, 600, 600]);
  });

  test('knows when each request should have been sent, however late it is', () => {
    expect([0, 1, 599].map(schedule.intendedAtMs)).toEqual([1_000, 1_005, 3_995]);
    expect(schedule.endsAtMs).toBe(4_000);
  });
});

describe('the histogram', () => {
  test('tells quantiles to within two percent, from microseconds to minutes', () => {
    const histogram = createHistogram();
    for (let ms = 1; ms <= 100_000; ms += 1) histogram.record(ms);

    for (const share of [0.01, 0.5, 0.99, 0.999]) {
      const told = histogram.quantile(share);
      expect(Math.abs(told - share * 100_000) / (share * 100_000)).toBeLessThan(0.02);
    }
    expect(histogram.quantile(1)).toBe(100_000);
  });

  test('is exact below a tenth of a millisecond, and 0 when nothing was recorded', () => {
    const histogram = createHistogram();
    expect(histogram.quantile(0.99)).toBe(0);

    histogram.record(0.05);

    expect(histogram.quantile(0.5)).toBe(0.05);
  });

  test('adds up with another', () => {
    const [one, other] = [createHistogram(), createHistogram()];
    one.record(1);
    other.record(500);

    one.add(other);

    expect([one.count, one.maxMs]).toEqual([2, 500]);
    expect(one.quantile(0.5)).toBeCloseTo(1, 1);
  });
});

describe('the recorder', () => {
  const recorded = () => {
    const recorder = createRecorder(0);
    recorder.open({ fromMs: 1_000, untilMs: 3_000 });
    return recorder;
  };

  test('counts a pause of the server for every request that was due in it', () => {
    const recorder = recorded();
    for (let due = 1_000; due < 2_000; due += 10) recorder.record(due, 2_000, [ok]);

    const { p50Ms, p99Ms } = recorder.result();

    expect([Math.round(p50Ms / 100), Math.round(p99Ms / 100)]).toEqual([5, 10]);
  });

  test('counts a refusal, and leaves its latency out', () => {
    const recorder = recorded();
    recorder.record(1_500, 1_501, [{ outcome: 'error', why: '503 UNAVAILABLE' }]);
    recorder.record(1_500, 1_600, [ok]);

    const { errors, requests, p50Ms } = recorder.result();

    expect({ errors, requests }).toEqual({ errors: 1, requests: 2 });
    expect(Math.round(p50Ms / 10)).toBe(10);
  });

  test('tells the warm-up apart, and what came too late from what was achieved', () => {
    const recorder = recorded();
    recorder.record(10, 900, [ok]);
    recorder.record(990, 1_010, [ok]);
    recorder.record(2_990, 3_100, [ok]);
    recorder.record(2_000, 2_010, [{ outcome: 'wrong', why: 'it is' }]);
    recorder.record(2_001, 2_010, [{ outcome: 'error', why: 'reset' }]);

    const { ok: right, wrong, errors, achieved, warmUpP99Ms, reasons, slices } = recorder.result();

    expect({ right, wrong, errors, achieved }).toEqual({ right: 1, wrong: 1, errors: 1, achieved: 1 });
    expect(warmUpP99Ms).toBeCloseTo(890, 0);
    expect(reasons).toEqual({ 'it is': 1, reset: 1 });
    expect(slices.map(({ isWarmUp }) => isWarmUp)).toEqual([true, true, false, true].slice(0, slices.length));
  });

  test('counts a batch by its sessions', () => {
    const recorder = recorded();
    recorder.record(1_500, 1_520, [ok, ok, { outcome: 'wrong', why: 'one item' }]);

    const { ok: right, wrong, requests } = recorder.result();

    expect({ right, wrong, requests }).toEqual({ right: 2, wrong: 1, requests: 1 });
  });
});
