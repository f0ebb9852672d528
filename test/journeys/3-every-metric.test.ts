import { counters } from '#libs/runtime/metric-catalog/counters.ts';
import { gauges } from '#libs/runtime/metric-catalog/gauges.ts';
import { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import { nodeMetrics } from '#libs/runtime/metric-catalog/node.ts';
import type { LabelValues, Metric } from '#libs/runtime/metric-catalog/labels.ts';
import { eventually } from '../support/eventually.ts';
import { shortLimits, useOwnStack } from '../support/own-stack.ts';
import { playWithFaults } from '../support/play-with-faults.ts';
import { scrape } from '../support/read-metrics.ts';
import type { Sample } from '../support/read-metrics.ts';

const own = useOwnStack({
  ...shortLimits,
  OTT_TTL_SEC: '4',
  GRACE_SEC: '30',
  LAUNCHER_SILENCE_SEC: '10',
});

const declared: Readonly<Record<string, Metric>> = { ...counters, ...gauges, ...histograms };
const nodeNames = new Set(Object.keys(nodeMetrics));

/** A name without what a histogram adds to it. */
const baseOf = (name: string): string => {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return base in histograms || nodeNames.has(base) ? base : name;
};

/** Counted only where something is wrong that this play does not break, or where many play (D-62). */
const rare: ReadonlySet<string> = new Set([
  ...['gsb_overbilled_seconds_total', 'gsb_unbilled_seconds_total'],
  ...['gsb_sessions_spared_total', 'gsb_ott_overdue_claims_total', 'gsb_sweeper_postponed_records_total'],
  ...['gsb_http_shed_requests_total', 'gsb_heartbeats_not_awaited_total'],
  ...['gsb_kafka_failed_publishes_total', 'gsb_redis_failed_commands_total'],
  'gsb_postgres_failed_statements_total',
]);

let seen: Sample[] = [];
beforeAll(async () => {
  const facts = own.stack.facts();
  await playWithFaults(facts, 9_500);
  const counted = (samples: readonly Sample[]) =>
    new Set(samples.filter(({ value }) => value > 0).map(({ name }) => name));
  const wanted = Object.keys(counters).filter((name) => !rare.has(name));
  const missing = async () => {
    seen = await scrape(facts.processes);
    const names = counted(seen);
    return wanted.filter((name) => !names.has(name));
  };
  await eventually(missing, (names) => names.length === 0, 20_000).catch(() => undefined);
}, 120_000);

test('nothing is emitted that the catalogue does not declare', () => {
  const names = new Set(seen.map(({ name }) => baseOf(name)));

  expect([...names].filter((name) => !(name in declared) && !nodeNames.has(name))).toEqual([]);
});

test('a metric is emitted by the services that the catalogue names, and by no other', () => {
  const emitters = Map.groupBy(seen, ({ name }) => baseOf(name));
  const found = Object.keys(declared).map((name) => {
    const by = new Set((emitters.get(name) ?? []).map(({ labels }) => labels['service_name']));
    return [name, [...by].sort()];
  });

  const wanted = Object.entries(declared).map(([name, { emittedBy }]) => [name, [...emittedBy].sort()]);
  expect(found).toEqual(wanted);
});

test('every counter has counted, but for those of what did not happen here', () => {
  const counted = new Set(seen.filter(({ value }) => value > 0).map(({ name }) => name));

  expect(Object.keys(counters).filter((name) => !rare.has(name) && !counted.has(name))).toEqual([]);
});

test('nobody was billed more than was played', () => {
  const overbilled = seen.filter(({ name }) => name === 'gsb_overbilled_seconds_total');

  expect(overbilled.length).toBeGreaterThan(0);
  expect(overbilled.filter(({ value }) => value > 0)).toEqual([]);
});

const allows = (values: LabelValues, service: string, value: string): boolean => {
  if (values instanceof RegExp) return values.test(value);
  if (values === 'games')
    return ['unknown', ...own.stack.facts().game.games.map((it) => it.game_id)].includes(value);
  return (typeof values === 'function' ? values(service) : values).includes(value);
};

test('labels say what the catalogue lets them say, and nothing else', () => {
  const wrong = seen.flatMap(({ name, labels }) => {
    const { service_name: service = '', le: _le, ...own } = labels;
    const metric = declared[baseOf(name)];
    return metric === undefined
      ? []
      : Object.entries(own)
          .filter(([label, value]) => {
            const values = metric.labels[label];
            return values === undefined || !allows(values, service, value);
          })
          .map(([label, value]) => `${name}: ${label}="${value}" of ${service}`);
  });

  expect([...new Set(wrong)]).toEqual([]);
});
