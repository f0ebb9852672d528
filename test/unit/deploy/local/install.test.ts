import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const bootstrap = resolve(import.meta.dirname, '../../../../deploy/local/bootstrap.mjs');
const dir = mkdtempSync(join(tmpdir(), 'gsb-install-'));
const inDir = (...path: string[]) => join(dir, ...path);
const calls = inDir('calls');
afterAll(() => rmSync(dir, { recursive: true }));

test('an install runs no script of a package but of those that were reviewed', () => {
  mkdirSync(inDir('deploy/local'), { recursive: true });
  mkdirSync(inDir('bin'));
  copyFileSync(bootstrap, inDir('deploy/local/bootstrap.mjs'));
  const allowScripts = { node: true, 'of-another-platform': true, 'left-pad': false };
  writeFileSync(inDir('package.json'), JSON.stringify({ allowScripts, devDependencies: { node: '24' } }));
  writeFileSync(inDir('package-lock.json'), '{}');
  // Installs Node, and two packages that would like to run scripts.
  const npm = `#!/bin/sh
echo "$*" >>${calls}
mkdir -p ${dir}/node_modules/.bin ${dir}/node_modules/node ${dir}/node_modules/left-pad
ln -sf ${process.execPath} ${dir}/node_modules/.bin/node`;
  writeFileSync(inDir('bin/npm'), npm);
  chmodSync(inDir('bin/npm'), 0o755);
  const env = { ...process.env, PATH: `${inDir('bin')}:${process.env['PATH'] ?? ''}` };

  const { status } = spawnSync(process.execPath, [inDir('deploy/local/bootstrap.mjs'), '--version'], { env });

  expect(status).toBe(0);
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
    'ci --ignore-scripts --no-audit --no-fund --prefer-offline',
    'rebuild node --ignore-scripts=false --prefer-offline',
  ]);
});
