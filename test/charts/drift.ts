import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { generated, generatedFolders } from '../../deploy/generate/charts/chart-files.ts';
import { root } from './renders.ts';

/** Generated files that are not what they are made from any more, or made from nothing; with `update` they are made again, or removed. */
export const drift = (update: boolean): string[] => {
  const files = generated();
  const wanted = new Set(files.map(({ path }) => path));
  const strays = generatedFolders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => !wanted.has(path));
  const stale = files.filter(({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
  if (update) {
    for (const path of strays) rmSync(path);
    for (const { path, text } of stale) writeFileSync(path, text);
    return [];
  }
  const again = 'npm run test:charts -- --update makes it again';
  return [
    ...stale.map(({ path }) => `${relative(root, path)} is not what it is made from; ${again}`),
    ...strays.map((path) => `${relative(root, path)} is made from nothing any more; ${again}`),
  ];
};
