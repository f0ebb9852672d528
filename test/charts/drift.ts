import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { generated } from '../../deploy/generate/charts/chart-files.ts';
import { root } from './renders.ts';

/** Generated files that are not what they are made from any more; with `update` they are made again. */
export const drift = (update: boolean): string[] =>
  generated().flatMap(({ path, text }) => {
    if (existsSync(path) && readFileSync(path, 'utf8') === text) return [];
    if (update) writeFileSync(path, text);
    return update
      ? []
      : [
          `${relative(root, path)} is not what it is made from; npm run test:charts -- --update makes it again`,
        ];
  });
