import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { until } from '../progress.ts';
import type { Print } from '../progress.ts';
import type { Run } from '../run.ts';
import { runStore } from '../store-process.ts';
import { localUrl } from '../programs.ts';
import { programFrom } from './debian-package.ts';

/** What is to be started, and where it keeps its data. */
export interface Monitor {
  readonly run: Run;
  readonly dir: string;
  readonly port?: number;
  readonly print?: Print;
}

interface PrometheusOptions extends Monitor {
  readonly program: string;
  /** The addresses of the ops ports. */
  readonly ops: readonly string[];
  /** The files of rules, as a pattern. */
  readonly rules: string;
  readonly scrapeEvery?: string;
  /** Where alerts are sent. */
  readonly alertmanager?: string;
}

const hostOf = (url: string): string => new URL(url).host;

const configOf = ({ ops, rules, scrapeEvery = '1s', alertmanager }: PrometheusOptions): string =>
  JSON.stringify({
    global: { scrape_interval: scrapeEvery, evaluation_interval: scrapeEvery },
    rule_files: [rules],
    ...(alertmanager !== undefined && {
      alerting: { alertmanagers: [{ static_configs: [{ targets: [hostOf(alertmanager)] }] }] },
    }),
    scrape_configs: [
      {
        job_name: 'gsb',
        static_configs: [{ targets: ops.map(hostOf), labels: { deployment_environment_name: 'local' } }],
      },
    ],
  });

/** The program: from the PATH, or Debian's package; undefined where neither is. */
export const prometheusProgram = (): Promise<string | undefined> => programFrom('prometheus');
/** As `prometheusProgram`. */
export const alertmanagerProgram = (): Promise<string | undefined> => programFrom('prometheus-alertmanager');

/** Debian's Alertmanager finds its templates below /usr/share only: where they are not installed, it runs with those of the unpacked package there. */
const withTemplates = (program: string): { command: string; first: readonly string[] } => {
  const unpacked = join(program, '../../share');
  if (existsSync('/usr/share/prometheus/alertmanager') || !existsSync(join(unpacked, 'prometheus')))
    return { command: program, first: [] };
  const bind = 'mount --bind "$1" /usr/share && shift && exec "$@"';
  return {
    command: 'unshare',
    first: ['--map-root-user', '--mount', 'sh', '-c', bind, 'sh', unpacked, program],
  };
};

const startMonitor = async (
  { run, dir, port = 0, print }: Monitor,
  { name, command, args }: { name: string; command: string; args: (port: number) => readonly string[] },
): Promise<string> => {
  mkdirSync(dir, { recursive: true });
  const chosen = await freePort(port);
  const url = localUrl(chosen);
  await runStore(run, {
    print,
    command: () => ({ name, command, args: args(chosen), log: run.logOf(name), wave: 'service' }),
    ready: async () => (await fetch(`${url}/-/ready`)).ok,
    missed: 'the boards and alerts need it',
  });
  return url;
};

const isScraped = async (url: string, ops: readonly string[]): Promise<boolean> => {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent('count(up == 1)')}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  return Number(data.result[0]?.value[1] ?? 0) === ops.length;
};

/** Starts a Prometheus that scrapes and judges the services, keeps exemplars, and writes only below `dir`. Resolves to its address. */
export const startPrometheus = async (options: PrometheusOptions): Promise<string> => {
  const { dir, program } = options;
  mkdirSync(dir, { recursive: true });
  const config = join(dir, 'prometheus.yaml');
  writeFileSync(config, configOf(options));
  const args = (port: number) => [
    ...[`--config.file=${config}`, `--storage.tsdb.path=${join(dir, 'data')}`],
    ...['--enable-feature=exemplar-storage', `--web.listen-address=127.0.0.1:${port}`],
  ];
  const url = await startMonitor(options, { name: 'prometheus', command: program, args });
  // What is counted before the first scrape is no increase.
  await until('the first scrape', async () => options.run.stopping() || (await isScraped(url, options.ops)));
  return url;
};

/** Groups by alert, and tells the receiver at once: whoever watches here has no night's rest to keep. */
const receiving = (webhook: string | undefined) => ({
  route: {
    receiver: 'here',
    group_by: ['alertname'],
    group_wait: '1s',
    group_interval: '1s',
    repeat_interval: '1h',
  },
  receivers: [
    {
      name: 'here',
      ...(webhook !== undefined && { webhook_configs: [{ url: webhook, send_resolved: true }] }),
    },
  ],
});

/** Starts an Alertmanager alone, which tells `webhook` of every alert. Resolves to its address. */
export const startAlertmanager = async (
  options: Monitor & { readonly program: string; readonly webhook?: string },
): Promise<string> => {
  const { dir, program, webhook } = options;
  mkdirSync(dir, { recursive: true });
  const config = join(dir, 'alertmanager.yaml');
  writeFileSync(config, JSON.stringify(receiving(webhook)));
  const { command, first } = withTemplates(program);
  const args = (port: number) => [
    ...first,
    ...[`--config.file=${config}`, `--storage.path=${join(dir, 'data')}`, '--cluster.listen-address='],
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  return startMonitor(options, { name: 'alertmanager', command, args });
};
