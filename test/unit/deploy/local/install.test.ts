import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '../../../support/eventually.ts';

const bootstrap = resolve(import.meta.dirname, '../../../../deploy/local/bootstrap.mjs');
const dir = mkdtempSync(join(tmpdir(), 'gsb-install-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** A fresh checkout, and an npm that writes down what it is called with, installs Node and two packages that would like to run scripts, and waits for `go`. */
const checkout = (name: string) => {
  const at = (...path: string[]) => join(dir, name, ...path);
  mkdirSync(at('deploy/local'), { recursive: true });
  mkdirSync(at('bin'));
  copyFileSync(bootstrap, at('deploy/local/bootstrap.mjs'));
  const allowScripts = { node: true, 'of-another-platform': true, 'left-pad': false };
  writeFileSync(at('package.json'), JSON.stringify({ allowScripts, devDependencies: { node: '24' } }));
  writeFileSync(at('package-lock.json'), '{}');
  const npm = `#!/bin/sh
cd ${at()}
echo "$*" >>calls
until [ -e go ]; do sleep 0.05; done
mkdir -p node_modules/.bin node_modules/node node_modules/left-pad
touch node_modules/.package-lock.json
ln -sf ${process.execPath} node_modules/.bin/node`;
  writeFileSync(at('bin/npm'), npm);
  chmodSync(at('bin/npm'), 0o755);
  const env = { ...process.env, PATH: `${at('bin')}:${process.env['PATH'] ?? ''}` };
  const args = [at('deploy/local/bootstrap.mjs'), '--version'];
  const calls = () => (existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trim().split('\n') : []);
  return { env, args, calls, go: () => writeFileSync(at('go'), '') };
};

test('an install runs no script of a package but of those that were reviewed', () => {
  const { env, args, calls, go } = checkout('reviewed');
  go();

  const { status } = spawnSync(process.execPath, args, { env });

  expect(status).toBe(0);
  expect(calls()).toEqual([
    'ci --ignore-scripts --no-audit --no-fund --prefer-offline',
    'rebuild node --ignore-scripts=false --prefer-offline',
  ]);
});

test('of two commands on a fresh checkout one installs, and the other waits for it', async () => {
  const { env, args, calls, go } = checkout('twice');
  const start = () => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const told: string[] = [];
    child.stderr.on('data', (text: Buffer) => told.push(text.toString()));
    return { told, ended: once(child, 'exit') };
  };
  const first = start();
  await eventually(
    async () => calls(),
    ({ length }) => length === 1,
  );
  const second = start();
  await eventually(
    async () => second.told.join(''),
    (told) => told !== '',
  );
  go();

  expect([await first.ended, await second.ended]).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(second.told.join('')).toMatch(/waiting.* installs the packages/);
  expect(calls()).toHaveLength(2);
});

test.each([
  ['whose pid nobody has', () => `${spawnSync(process.execPath, ['--version']).pid} 1`],
  ['whose pid another process has by now', () => `${process.pid} 1`],
  ['that could not be written', () => ''],
])('the lock of an install that was killed, %s, holds nobody up', (_, holder) => {
  const name = `killed-${readdirSync(dir).length}`;
  const { env, args, calls, go } = checkout(name);
  mkdirSync(join(dir, name, '.local'));
  writeFileSync(join(dir, name, '.local/installing'), holder());
  go();

  const { status } = spawnSync(process.execPath, args, { env });

  expect(status).toBe(0);
  expect(calls()).toHaveLength(2);
  expect(readdirSync(join(dir, name, '.local'))).toEqual([]);
});
