import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { counters } from '#libs/runtime/metric-catalog/counters.ts';
import { gauges } from '#libs/runtime/metric-catalog/gauges.ts';
import { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import { onPath, run } from './programs.ts';
import { root } from './renders.ts';

const files = (folder: string) => {
  const path = join(root, 'charts/gsb/files', folder);
  return readdirSync(path).map((file) => ({
    file: `${folder}/${file}`,
    path: join(path, file),
    text: readFileSync(join(path, file), 'utf8'),
  }));
};

const dashboard = z.looseObject({
  uid: z.string().regex(/^gsb-[a-z-]+$/),
  title: z.string().min(1),
  panels: z
    .array(
      z.looseObject({
        id: z.int(),
        title: z.string().min(1),
        targets: z.array(z.looseObject({ expr: z.string().min(1) })),
      }),
    )
    .min(1),
});

const rules = z.strictObject({
  groups: z.array(
    z.looseObject({
      name: z.string(),
      rules: z
        .array(
          z.looseObject({
            alert: z.string().regex(/^Gsb[A-Z]\w+$/),
            expr: z.string(),
            labels: z.looseObject({ severity: z.enum(['page', 'ticket']) }),
            annotations: z.looseObject({ summary: z.string().min(1) }),
          }),
        )
        .min(1),
    }),
  ),
});

const measured = new Set([...Object.keys(histograms), ...Object.keys(counters), ...Object.keys(gauges)]);

/** Metrics of ours that nobody measures. */
const unknownIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:gsb|http_server)_[a-z_]+/g)]
    .map(([name]) => name)
    .filter((name) => !measured.has(name) && !measured.has(name.replace(/_(bucket|sum|count)$/, '')))
    .map((name) => `no service measures ${name}`);

const judge = (read: () => string[]): string[] => {
  try {
    return read();
  } catch (error) {
    return [error instanceof z.ZodError ? z.prettifyError(error) : String(error)];
  }
};

const promtool = async (paths: readonly string[]): Promise<string[]> => {
  if (!onPath('promtool')) return [];
  const { code, stdout, stderr } = await run('promtool', ['check', 'rules', ...paths]);
  return code === 0 ? [] : [`promtool: ${stderr || stdout}`];
};

/** What is wrong with dashboards and rules: their shape, metrics that nobody measures, and what promtool says where it is at hand. */
export const judgeObservability = async (): Promise<string[]> => {
  const dashboards = files('dashboards').flatMap(({ file, text }) =>
    judge(() => {
      const { panels } = dashboard.parse(JSON.parse(text));
      return panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => unknownIn(expr)));
    }).map((problem) => `${file}: ${problem}`),
  );
  const alerts = files('rules').flatMap(({ file, text }) =>
    judge(() => {
      const { groups } = rules.parse(parse(text));
      return groups.flatMap((group) => group.rules.flatMap(({ expr }) => unknownIn(expr)));
    }).map((problem) => `${file}: ${problem}`),
  );
  return [...dashboards, ...alerts, ...(await promtool(files('rules').map(({ path }) => path)))];
};
