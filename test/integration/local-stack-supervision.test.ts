import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../deploy/local/free-port.ts';
import { createRun } from '../../deploy/local/run.ts';
import { supervise } from '../../deploy/local/supervisor.ts';
import type { Supervised } from '../../deploy/local/supervisor.ts';
import { eventually } from '../support/eventually.ts';

const dir = mkdtempSync(join(tmpdir(), 'gsb-supervised-'));
const run = createRun(dir);
afterAll(async () => {
  await run.stop();
  rmSync(dir, { recursive: true, force: true });
});

const program = async (service: string, source: string) => {
  const port = await freePort(0);
  const entry = join(dir, `${service}.mjs`);
  writeFileSync(entry, source);
  return { service, entry, env: { PORT: String(port) }, readyUrl: `http://127.0.0.1:${port}/` };
};

const server = `import { createServer } from 'node:http';
createServer((_, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1');`;

test('a service that is killed is started again and said so, and the pid that is told is the new one', async () => {
  const lines: string[] = [];
  const reported: number[] = [];
  const seen: { kept?: Supervised } = {};
  const changed = () => reported.push(seen.kept?.pid() ?? 0);
  const kept = supervise(await program('killed', server), {
    run,
    print: (line) => lines.push(line),
    changed,
  });
  seen.kept = kept;
  await kept.ready();
  const first = kept.pid();

  kept.kill('SIGKILL');

  await eventually(
    async () => lines,
    (printed) => printed.length === 2,
  );
  expect(lines).toEqual([
    expect.stringMatching(/killed ended \(killed\)/),
    expect.stringMatching(/killed is back/),
  ]);
  expect(reported.at(-1)).toBe(kept.pid());
  expect(kept.pid()).not.toBe(first);
});

test('the pause before a service is started again grows while it keeps dying', async () => {
  const pauses: string[] = [];
  const print = (line: string) => void pauses.push(/in (\S+) s/.exec(line)?.[1] ?? line);
  const dying = supervise(await program('dying', 'process.exit(3);'), {
    run,
    print,
    changed: () => undefined,
  });

  await eventually(
    async () => pauses,
    ({ length }) => length >= 3,
  );

  await dying.stop();
  expect(pauses.slice(0, 3)).toEqual(['0.1', '0.3', '0.9']);
});

test('a service that was stopped stays down until it is started', async () => {
  const kept = supervise(await program('stopped', server), {
    run,
    print: () => undefined,
    changed: () => undefined,
  });
  await kept.ready();
  const first = kept.pid();

  await kept.stop();
  await kept.start();

  expect(kept.pid()).not.toBe(first);
});

test('a service that is started while it waits for its next start runs once', async () => {
  const lines: string[] = [];
  const kept = supervise(await program('once', server), {
    run,
    print: (line) => lines.push(line),
    changed: () => undefined,
  });
  await kept.ready();
  kept.kill('SIGKILL');
  await eventually(
    async () => lines,
    (printed) => printed.some((line) => line.includes('once ended')),
  );

  await kept.start();

  // Whoever dies once more is started after a longer pause than the one that was under way.
  kept.kill('SIGKILL');
  await eventually(
    async () => lines,
    (printed) => printed.some((line) => line.includes('once is back')),
  );
  const running = run.children().filter(({ name }) => name === 'once');
  expect(running.map(({ pid }) => pid)).toEqual([kept.pid()]);
});
