import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ruleFiles } from '../../observability/alerts/rule-files.ts';
import { runbookFiles } from '../../observability/alerts/runbook-files.ts';
import { boardFiles } from '../../observability/boards/build.ts';
import { parameterTable } from './parameter-table.ts';
import { presets, presetText } from './sizing/size-presets.ts';
import { sizingText } from './sizing/sizing-table.ts';
import { topicsFile } from './topics-file.ts';

const root = resolve(import.meta.dirname, '../../..');
const charts = join(root, 'charts');
/** What stands between the marks of a README: the name of each part, and its text. */
const between = (text: string, [name, part]: readonly [string, string]): string =>
  text.replace(
    new RegExp(`(<!-- ${name} -->\\n)[^]*(\\n<!-- /${name} -->)`),
    (_, begin: string, end: string) => `${begin}\n${part}\n${end}`,
  );

/** A file that is made from others, and what it should be. */
export interface Generated {
  readonly path: string;
  readonly text: string;
}

const readmeOf = (chart: string): Generated => {
  const path = join(charts, chart, 'README.md');
  const table = parameterTable(readFileSync(join(charts, chart, 'values.yaml'), 'utf8'));
  const parts = Object.entries({ parameters: table, sizing: sizingText() });
  return { path, text: parts.reduce(between, readFileSync(path, 'utf8')) };
};

const presetFiles = (Object.keys(presets) as (keyof typeof presets)[]).map((name) => ({
  path: join(charts, `gsb/values-size-${name}.yaml`),
  text: presetText(name),
}));

const inFolder = (folder: string, files: Record<string, string>): Generated[] =>
  Object.entries(files).map(([name, text]) => ({ path: join(folder, name), text }));

/** Folders that hold generated files only: what is made no more is removed. */
export const generatedFolders: readonly string[] = [
  join(charts, 'gsb/files/dashboards'),
  join(charts, 'gsb/files/rules'),
  join(root, 'deploy/observability/runbooks'),
];

/** All files that are made from the project's catalogs, boards and alerts, and from values.yaml. */
export const generated = (): Generated[] => [
  { path: join(charts, 'gsb/files/topics.json'), text: topicsFile() },
  readmeOf('gsb'),
  ...presetFiles,
  readmeOf('gsb-deps'),
  ...inFolder(generatedFolders[0] ?? '', boardFiles()),
  ...inFolder(generatedFolders[1] ?? '', ruleFiles()),
  ...inFolder(generatedFolders[2] ?? '', runbookFiles()),
];
