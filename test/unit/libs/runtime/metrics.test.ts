import { counters } from '#libs/runtime/metric-catalog/counters.ts';
import { gauges } from '#libs/runtime/metric-catalog/gauges.ts';
import { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import type { Metric } from '#libs/runtime/metric-catalog/labels.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';

const declared = Object.entries<Metric>({ ...counters, ...gauges, ...histograms });
const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`));

describe('a counter begins at 0, so that its first event is an increase', () => {
  test('for every value of its labels', async () => {
    const metrics = createMetrics('ott');

    const lines = await linesOf(metrics, 'gsb_ott_refusals_total');

    const reasons = ['OTT_EXPIRED', 'OTT_ALREADY_USED', 'GAME_MISMATCH'];
    expect(lines).toEqual(
      reasons.map((reason) => `gsb_ott_refusals_total{reason="${reason}",service_name="ott"} 0`),
    );
  });

  test('for every game of the catalog, and for one that comes later', async () => {
    const metrics = createMetrics('game-session');
    const games = ['starfall'];
    metrics.ofGames(() => games);
    const before = await linesOf(metrics, 'gsb_sessions_started_total');
    metrics.counter('gsb_sessions_started_total').inc({ game_id: 'starfall' });
    games.push('moonrise');

    const after = await linesOf(metrics, 'gsb_sessions_started_total');

    const line = (game: string, value: number) =>
      `gsb_sessions_started_total{game_id="${game}",service_name="game-session"} ${value}`;
    expect(before).toEqual([line('starfall', 0)]);
    expect(after).toEqual([line('starfall', 1), line('moonrise', 0)]);
  });

  test('only in the service that counts it', async () => {
    expect(await linesOf(createMetrics('ott'), 'gsb_verifies_total')).toEqual([]);
    expect(await createMetrics('ott').text()).not.toContain('gsb_verifies_total');
  });
});

describe('the catalogue', () => {
  test.each(declared)(
    '%s has a text, an emitter, and a name of the form that Prometheus asks for',
    (name, it) => {
      expect(name).toMatch(/^(gsb|http_server)_[a-z]+(_[a-z]+)+$/);
      expect(name.endsWith('_total')).toBe(name in counters);
      expect(it.help).toMatch(/[.)]$/);
      expect(it.emittedBy.length).toBeGreaterThan(0);
    },
  );

  test.each(declared)('no label of %s names an address, a user, a token or a session', (_, { labels }) => {
    const telling = /(^|_)(ip|address|user|player|session|token|ott|id|pc|cafe|key)$/;

    expect(Object.keys(labels).filter((label) => label !== 'game_id' && telling.test(label))).toEqual([]);
  });

  test.each(declared)('what the labels of %s may say is bounded', (_, { labels, emittedBy }) => {
    const sets = Object.values(labels).flatMap((values) =>
      typeof values === 'function' ? emittedBy.map(values) : [values],
    );
    const lists = sets.filter((values) => Array.isArray(values));

    expect(lists.every((values) => new Set(values).size === values.length && values.length > 0)).toBe(true);
    expect(sets.filter((values) => values instanceof RegExp && values.test('203.0.113.10'))).toEqual([]);
    expect(
      sets.filter(
        (values) => values instanceof RegExp && values.test('gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47'),
      ),
    ).toEqual([]);
  });
});
