import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeOver } from '../../deploy/local/run-file.ts';
import { runSource, untilStdinEnds } from '../support/run-source.ts';

const base = mkdtempSync(join(tmpdir(), 'gsb-folder-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('of several starts that find a killed run, one has its folder, and the others are told by whom', async () => {
  const dirs = Array.from({ length: 40 }, (_, nth) => join(base, `taken-${nth}`));
  const killed = { pid: process.pid, started: '1', children: [], folders: [] };
  for (const dir of dirs) {
    mkdirSync(join(dir, 'postgres'), { recursive: true });
    writeFileSync(join(dir, 'run.json'), JSON.stringify(killed));
  }
  // All have loaded by then, and ask for each folder in one moment.
  const at = Date.now() + 2_000;
  const take = `
    import { setTimeout as pause } from 'node:timers/promises';
    import { takeOver } from './deploy/local/run-file.ts';
    const told = ${JSON.stringify(dirs)}.map(async (dir, nth) => {
      await pause(${at} + nth * 20 - Date.now());
      return (await takeOver(dir, () => undefined)) ?? process.pid;
    });
    console.log(JSON.stringify(await Promise.all(told)));
    ${untilStdinEnds}`;
  const starts = Array.from({ length: 3 }, () => runSource(take));

  const told = await Promise.all(starts.map(async ({ said }) => JSON.parse(await said) as number[]));
  starts.forEach(({ child }) => child.stdin.end());

  expect(told[1]).toEqual(told[0]);
  expect(told[2]).toEqual(told[0]);
  expect(dirs.map((dir) => readdirSync(dir))).toEqual(dirs.map(() => ['run.json']));
});

test.each(['', '{"pid":1}'])('a run.json that cannot be read is replaced: %j', async (content) => {
  const dir = mkdtempSync(join(base, 'unreadable-'));
  writeFileSync(join(dir, 'run.json'), content);

  const found = [await takeOver(dir, () => undefined), await takeOver(dir, () => undefined)];

  expect(found).toEqual([undefined, process.pid]);
  expect(readdirSync(dir)).toEqual(['run.json']);
});

test('what a killed run leaves in its folder is removed by the next one, except what is not of a run', async () => {
  const dir = join(base, 'littered');
  for (const name of ['rules', 'prometheus', 'kafka-2', 'logs', 'accuracy'])
    mkdirSync(join(dir, name), { recursive: true });

  await takeOver(dir, () => undefined);

  expect(readdirSync(dir)).toEqual(['accuracy', 'run.json']);
});
