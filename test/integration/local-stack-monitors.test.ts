import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAlertmanager } from '../../deploy/local/observe/prometheus.ts';
import { createRun } from '../../deploy/local/run.ts';
import { eventually } from '../support/eventually.ts';

const dir = mkdtempSync(join(tmpdir(), 'gsb-monitors-'));
const run = createRun(dir);
const printed: string[] = [];
const print = (line: string) => void printed.push(line);
afterAll(async () => {
  await run.stop();
  rmSync(dir, { recursive: true, force: true });
});

const program = (name: string, script: string): string => {
  const path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
};

test('what watches the stack and does not come up is told at once, with its last words', async () => {
  const refused = program('refused', "echo 'unshare: Operation not permitted'; exit 1");

  const starting = startAlertmanager({ run, print, dir: join(dir, 'one'), program: refused });

  await expect(starting).rejects.toThrow(/alertmanager did not start[^]*Operation not permitted/);
}, 10_000);

test('what watches the stack and ends by itself is told', async () => {
  const server = `const [port] = process.argv.at(-1).match(/[0-9]+$/);
    require("node:http").createServer((request, response) => {
      response.end();
      if (request.url === "/leave") process.exit(0);
    }).listen(Number(port), "127.0.0.1")`;
  const leaving = program('leaving', `exec '${process.execPath}' -e '${server}' -- "$@"`);
  const url = await startAlertmanager({ run, print, dir: join(dir, 'two'), program: leaving });

  await fetch(`${url}/leave`).catch(() => undefined);

  await eventually(
    async () => printed,
    ({ length }) => length > 0,
  );
  expect(printed).toEqual([expect.stringMatching(/^! alertmanager ended by itself; the boards and alerts/)]);
});
