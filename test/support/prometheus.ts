import { join } from 'node:path';
import { startPrometheus as start } from '../../deploy/local/observe/prometheus.ts';
import { createRun } from '../../deploy/local/run.ts';
import { eventually } from './eventually.ts';

export { prometheusProgram } from '../../deploy/local/observe/prometheus.ts';

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

/** Starts a Prometheus that scrapes these ops addresses each second, with the chart's rules loaded. */
export const startPrometheus = async (
  program: string,
  { dir, ops, rules }: { dir: string; ops: readonly string[]; rules: string },
): Promise<Prometheus> => {
  const run = createRun(dir);
  const url = await start({ run, dir: join(dir, 'prometheus'), program, ops, rules });
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
