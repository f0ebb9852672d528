import { ROOT_CONTEXT, TraceFlags, context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
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

  test.each([
    ['launcher-gateway', 'gsb_kafka_failed_publishes_total', 'topic="cafe-checks.v1",'],
    ['ott', 'gsb_redis_failed_commands_total', ''],
    ['settlement', 'gsb_postgres_failed_statements_total', 'outcome="denied",'],
    ['billing-adapter', 'gsb_partner_failed_calls_total', 'operation="start",'],
  ])('in %s %s, which nothing but its first failure would begin otherwise', async (service, name, labels) => {
    expect(await linesOf(createMetrics(service), name)).toContain(
      `${name}{${labels}service_name="${service}"} 0`,
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

describe('a scraper that takes OpenMetrics', () => {
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const observed = (traceFlags: TraceFlags) => {
    const metrics = createMetrics('settlement');
    const durations = metrics.histogram('http_server_request_duration_seconds');
    const labels = { http_route: '/v1/ott', http_request_method: 'GET', http_response_status_code: '200' };
    const span = trace.wrapSpanContext({ traceId, spanId: 'b7ad6b7169203331', traceFlags });
    const inTrace = trace.setSpan(ROOT_CONTEXT, span);
    manager.with(inTrace, () => durations.observe(labels, 0.3));
    return metrics;
  };
  const manager = new AsyncLocalStorageContextManager().enable();
  beforeAll(() => void context.setGlobalContextManager(manager));
  afterAll(() => context.disable());

  test('learns of a trace that fell into the bucket, if that trace is kept', async () => {
    const { contentType, body } = await observed(TraceFlags.SAMPLED).page(accept);

    expect(contentType).toContain('application/openmetrics-text');
    const [bucket] = body.split('\n').filter((line) => line.includes('le="0.5"'));
    expect(bucket).toMatch(new RegExp(` 1 # \\{trace_id="${traceId}"\\} 0\\.3 [\\d.]+$`));
    expect((await observed(TraceFlags.NONE).page(accept)).body).not.toContain('trace_id');
  });

  test('reads counters by the same names as one that does not, however often both ask', async () => {
    const metrics = observed(TraceFlags.SAMPLED);
    const namesOf = (text: string) => [...text.matchAll(/^(\w+)\{/gm)].map(([, name]) => name);

    const open = [await metrics.page(accept), await metrics.page(accept)].map(({ body }) => namesOf(body));
    const plain = await metrics.page('text/plain');

    expect(plain.contentType).toContain('text/plain');
    expect(open).toEqual([namesOf(plain.body), namesOf(plain.body)]);
    expect(namesOf(plain.body)).toContain('gsb_ledger_rows_total');
    expect((await metrics.page(accept)).body).toMatch(/# TYPE gsb_ledger_rows counter\n[^#]*\n# HELP/);
    expect((await metrics.page(accept)).body.endsWith('# EOF\n')).toBe(true);
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
