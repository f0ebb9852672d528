import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parameterTable } from './parameter-table.ts';
import { topicsFile } from './topics-file.ts';

const charts = resolve(import.meta.dirname, '../../../charts');
const marks = /(<!-- parameters -->\n)[^]*(\n<!-- \/parameters -->)/;

/** A file that is made from others, and what it should be. */
export interface Generated {
  readonly path: string;
  readonly text: string;
}

const readmeOf = (chart: string): Generated => {
  const path = join(charts, chart, 'README.md');
  const table = parameterTable(readFileSync(join(charts, chart, 'values.yaml'), 'utf8'));
  const text = readFileSync(path, 'utf8').replace(
    marks,
    (_, begin: string, end: string) => `${begin}\n${table}\n${end}`,
  );
  return { path, text };
};

/** All files of the charts that are made from the project's catalogs and from values.yaml. */
export const generated = (): Generated[] => [
  { path: join(charts, 'gsb/files/topics.json'), text: topicsFile() },
  readmeOf('gsb'),
  readmeOf('gsb-deps'),
];
