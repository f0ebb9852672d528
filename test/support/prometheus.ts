import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, execute, onPath } from '../../deploy/local/cache.ts';
import { freePort } from '../../deploy/local/processes.ts';
import { createRun } from '../../deploy/local/run.ts';
import { eventually } from './eventually.ts';

const downloadDeadlineMs = 180_000;

/** A series, and its value. */
export interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** A Prometheus that scrapes. */
export interface Prometheus {
  /** Rejects when the expression is wrong. */
  query(expression: string): Promise<Result[]>;
  stop(): Promise<void>;
}

/** Debian's package, unpacked and not installed: its service would take the usual port. Undefined where there is none. */
const byApt = async (): Promise<string | undefined> => {
  if (onPath('apt-get') === undefined || onPath('dpkg-deb') === undefined) return undefined;
  try {
    const folder = await cached('prometheus-1', async (into) => {
      const options = { cwd: into, timeout: downloadDeadlineMs };
      await execute('apt-get', ['download', 'prometheus'], options).catch(async () => {
        await execute('apt-get', ['update', '-q'], options);
        await execute('apt-get', ['download', 'prometheus'], options);
      });
      await execute('sh', ['-c', 'dpkg-deb -x prometheus_*.deb .'], options);
    });
    return join(folder, 'usr/bin/prometheus');
  } catch {
    return undefined;
  }
};

const configOf = (targets: readonly string[], rules: string): string =>
  JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [
      { job_name: 'gsb', static_configs: [{ targets, labels: { deployment_environment_name: 'local' } }] },
    ],
  });

/** The program: from the PATH, or Debian's package; undefined where neither is. */
export const prometheusProgram = async (): Promise<string | undefined> =>
  onPath('prometheus') ?? (await byApt());

/** Starts a Prometheus that scrapes these ops addresses each second, with the chart's rules loaded. */
export const startPrometheus = async (
  program: string,
  { dir, ops, rules }: { dir: string; ops: readonly string[]; rules: string },
): Promise<Prometheus> => {
  mkdirSync(dir, { recursive: true });
  const run = createRun(dir);
  const port = await freePort(0);
  const config = join(dir, 'prometheus.yaml');
  writeFileSync(
    config,
    configOf(
      ops.map((address) => new URL(address).host),
      rules,
    ),
  );
  const url = `http://127.0.0.1:${port}`;
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${join(dir, 'data')}`];
  run.start({
    name: 'prometheus',
    command: program,
    args: [...args, `--web.listen-address=127.0.0.1:${port}`],
    log: run.logOf('prometheus'),
    wave: 'service',
  });
  const ready = async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.status === 200;
  await eventually(ready, (is) => is, 20_000);
  const query = async (expression: string): Promise<Result[]> => {
    const answer = await fetch(
      `${url}/api/v1/query?${new URLSearchParams({ query: expression }).toString()}`,
    );
    const body = (await answer.json()) as { status: string; error?: string; data: { result: Result[] } };
    if (body.status !== 'success') throw new Error(`${expression}: ${body.error ?? 'failed'}`);
    return body.data.result;
  };
  // What is counted before the first scrape is no increase.
  const scraped = async () => Number((await query('count(count_over_time(up[1m]) > 1)'))[0]?.value[1] ?? 0);
  await eventually(scraped, (count) => count === ops.length, 20_000);
  return { query, stop: () => run.stop() };
};
