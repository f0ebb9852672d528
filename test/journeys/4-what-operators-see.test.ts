import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { alerts } from '../../deploy/observability/alerts/all.ts';
import { recordings } from '../../deploy/observability/alerts/burn-rates.ts';
import { runbookCommands } from '../../deploy/observability/alerts/runbook-files.ts';
import { measuredSlos } from '../../deploy/observability/alerts/slos.ts';
import { boards } from '../../deploy/observability/boards/all.ts';
import { eventually } from '../support/eventually.ts';
import { shortLimits, useOwnStack } from '../support/own-stack.ts';
import { playWithFaults } from '../support/play-with-faults.ts';
import { prometheusProgram, startPrometheus } from '../support/prometheus.ts';
import type { Prometheus } from '../support/prometheus.ts';

const root = resolve(import.meta.dirname, '../..');
const own = useOwnStack({ ...shortLimits, OTT_TTL_SEC: '4', GRACE_SEC: '30', LAUNCHER_SILENCE_SEC: '10' });

const program = await prometheusProgram();
const onPrometheus = program === undefined ? describe.skip : describe;
if (program === undefined)
  process.stderr.write('! NOT DONE: boards and alerts on a real Prometheus. There is none\n');

const dir = mkdtempSync(join(tmpdir(), 'gsb-prometheus-'));
let prometheus: Prometheus | undefined;
beforeAll(async () => {
  const facts = own.stack.facts();
  if (program !== undefined) {
    const rules = join(root, 'charts/gsb/files/rules/*.yaml');
    const ops = facts.processes.map((each) => each.ops);
    prometheus = await startPrometheus(program, { dir, ops, rules });
  }
  await playWithFaults(facts, 9_500);
}, 120_000);
afterAll(async () => {
  await prometheus?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** What Grafana puts in the place of its variables. */
const asAsked = (expression: string): string =>
  expression
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$__range', '5m')
    .replaceAll('$environment', '.*')
    .replaceAll('$game', '.*');

const isEmpty = async (expression: string): Promise<boolean> =>
  (await prometheus!.query(asAsked(expression))).length === 0;
const emptyOnes = async (all: readonly (readonly [string, string])[]): Promise<string[]> => {
  const asked = await Promise.all(
    all.map(async ([where, expression]) => ((await isEmpty(expression)) ? [`${where}: ${expression}`] : [])),
  );
  return asked.flat();
};

/** Panels that show nothing here, by their title: what would be in them did not happen, or nobody plays any more. */
const showsNothing: ReadonlySet<string> = new Set([
  ...['Not published', 'Redis commands that failed', 'Statements that failed'],
  ...['Refused for want of time', 'Differences by cause'],
  ...['Sessions that a heartbeat keeps', 'Until somebody has no key left'],
]);

/** The part of an alert's expression that is there before it fires: without what it is compared with. */
const measured = (expression: string): string =>
  expression
    .replace(/ and \(.*$/, '')
    .replace(/ (?:>=|>|<|==) [\d.]+$/, '')
    .replaceAll(/\((.*) > \d+\)/g, '($1)');

onPrometheus('on a real Prometheus, after a play with faults', () => {
  const queries = boards.flatMap(({ uid, rows }) =>
    rows.flatMap(({ panels }) =>
      panels
        .filter(({ title }) => !showsNothing.has(title))
        .flatMap((panel) => panel.queries.map(({ expr }) => [`${uid}: ${panel.title}`, expr] as const)),
    ),
  );

  test('every panel of every board has something to show', async () => {
    const empty = await eventually(
      () => emptyOnes(queries),
      (names) => names.length === 0,
      30_000,
    ).catch(() => emptyOnes(queries));

    expect(empty).toEqual([]);
  }, 60_000);

  test('every alert has something to judge by', async () => {
    const judged = Object.values(alerts)
      .flat()
      .filter(({ name }) => name !== 'GsbServiceAbsent' && !measuredSlos.some(({ alert }) => alert === name))
      .map(({ name, expr }) => [name, measured(expr)] as const);
    // No key ends here.
    expect(await emptyOnes(judged.filter(([name]) => name !== 'GsbKeysRunOut'))).toEqual([]);
  });

  test('every promise has been measured', async () => {
    const fast = measuredSlos.flatMap((slo) => recordings(slo).slice(0, 1));

    expect(await emptyOnes(fast.map(({ record }) => [record, record] as const))).toEqual([]);
  });

  test('the faults are told: their alerts were pending or fired', async () => {
    // A circuit may have closed again by now.
    const active = async () => [
      ...new Set(
        (await prometheus!.query('last_over_time(ALERTS[5m])')).map(({ metric }) => metric['alertname']),
      ),
    ];

    expect(await active()).toEqual(expect.arrayContaining(['GsbDeadLetters', 'GsbPartnerCircuitOpen']));
  });
});

describe('every command of a runbook runs on the local stack', () => {
  const variables = (): Record<string, string> => {
    const facts = own.stack.facts();
    const ofService = facts.processes.map(({ service, ops }) => [
      `OPS_${service.toUpperCase().replaceAll('-', '_')}`,
      ops,
    ]);
    return {
      ...(Object.fromEntries(ofService) as Record<string, string>),
      SETTLEMENT_URL: facts.settlement.url,
      OPERATOR_KEY: facts.settlement.operator_key,
      CATALOG_DIR: join(own.dir, 'catalog'),
      REDIS_URL: facts.redis.url,
      KAFKA_BROKERS: facts.kafka.brokers.join(','),
      DATABASE_URL: facts.postgres.url,
    };
  };

  test.each(runbookCommands())(
    '%s',
    async (command) => {
      const env = { ...process.env, ...variables() };
      const child = spawn('bash', ['-o', 'pipefail', '-c', command], {
        cwd: root,
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });

      expect(await once(child, 'exit')).toEqual([0, null]);
    },
    60_000,
  );
});
