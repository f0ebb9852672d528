import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
/** Without the programs: they run when they are imported, and are made of what is here. */
const modules = globSync(['libs/**/*.ts', 'services/**/*.ts'], { cwd: root })
  .filter((file) => !/\/(main|migrate)\.ts$|\.d\.ts$/.test(file))
  .map((file) => pathToFileURL(join(root, file)).href);

test('Node itself loads every module: it finds fewer names in a CommonJS package than the transformer of these tests does', async () => {
  const failing = `const failed = [];
    for (const url of process.argv.slice(1)) await import(url).catch((error) => failed.push(url + ': ' + error.message));
    process.stdout.write(JSON.stringify(failed)); process.exit(0)`;

  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    failing,
    ...modules,
  ]);

  expect(JSON.parse(stdout)).toEqual([]);
});
