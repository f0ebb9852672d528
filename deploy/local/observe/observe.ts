import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StackFacts } from '#simulators/stack-file.ts';
import { Missing } from '../progress.ts';
import type { Print } from '../progress.ts';
import type { Run } from '../run.ts';
import { fromDebian } from './debian-package.ts';
import { ruleFiles } from '../../observability/alerts/rule-files.ts';
import { runbooksFolder } from '../../observability/links.ts';
import { importBoards } from './import-boards.ts';
import { servePage } from './page-server.ts';
import { alertmanagerProgram, prometheusProgram, startAlertmanager, startPrometheus } from './prometheus.ts';

/** Where Debian's package has it. */
const chartFile = 'usr/share/javascript/chart.js/chart.min.js';
const usual = { page: 3_300, prometheus: 9_095, alertmanager: 9_093 };

const programs = async () => {
  const [prometheus, alertmanager, chart] = await Promise.all([
    prometheusProgram(),
    alertmanagerProgram(),
    fromDebian('libjs-chart.js', chartFile),
  ]);
  if (prometheus === undefined || alertmanager === undefined || chart === undefined)
    throw new Missing(
      '--observe needs Prometheus, Alertmanager and Chart.js of Debian (apt-get download prometheus prometheus-alertmanager libjs-chart.js)',
    );
  return { prometheus, alertmanager, chart };
};

/** The chart's rules, with links that this page answers. Returns the pattern of their files. */
const writeRules = (dir: string, page: string): string => {
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(ruleFiles({ docsUrl: page, grafanaUrl: page })))
    writeFileSync(join(dir, name), text);
  return join(dir, '*.yaml');
};

interface Observing {
  readonly run: Run;
  readonly print: Print;
  readonly env: NodeJS.ProcessEnv;
}

const addressesOf = (page: string, at: { prometheus: string; alertmanager?: string }): string =>
  [
    '',
    `  boards       ${page}/d/gsb-overview  (drawn from Prometheus; no Grafana is needed)`,
    `  traces       ${page}/traces  (the newest 50,000 spans)`,
    `  logs         ${page}/logs`,
    `  runbooks     ${page}${runbooksFolder}`,
    `  prometheus   ${at.prometheus}`,
    `  alertmanager ${at.alertmanager ?? ''}`,
  ].join('\n');

/**
 * What watches a stack. First the page, which takes the spans of the services; `watch` starts Prometheus and Alertmanager once it is known where these are.
 */
export const startObserving = async ({ run, print, env }: Observing) => {
  const found = await programs();
  const at: { prometheus: string; alertmanager?: string } = { prometheus: '' };
  const page = await servePage({
    chart: found.chart,
    port: usual.page,
    prometheus: () => at.prometheus,
    alertmanager: () => at.alertmanager,
    logs: join(run.dir, 'logs'),
  });
  run.whenStopped(page.close);
  const watch = async (facts: StackFacts): Promise<void> => {
    const dir = (name: string) => join(run.dir, name);
    const alertmanager = await startAlertmanager({
      ...{ run, print, dir: dir('alertmanager'), port: usual.alertmanager, program: found.alertmanager },
    });
    const ops = facts.processes.map((each) => each.ops);
    const prometheus = await startPrometheus({
      ...{ run, print, dir: dir('prometheus'), port: usual.prometheus, program: found.prometheus },
      ...{ ops, rules: writeRules(dir('rules'), page.url), scrapeEvery: '5s', alertmanager },
    });
    Object.assign(at, { prometheus, alertmanager });
    const { GRAFANA_URL: url, GRAFANA_TOKEN: token } = env;
    if (!url) return;
    const count = await importBoards({ url, token }, { docsUrl: page.url, grafanaUrl: url });
    print(`✓ ${count} boards imported into ${url}`);
  };
  const addresses = (): string => addressesOf(page.url, at);
  /** The settings by which services send their spans here. */
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: page.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=local',
    OTEL_BSP_SCHEDULE_DELAY: '1000',
  };
  return { settings, watch, addresses, page: page.url, traces: page.traces };
};
