import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../deploy/local/free-port.ts';
import { startOf } from '../../deploy/local/processes.ts';
import { createRun } from '../../deploy/local/run.ts';
import type { Child, Run } from '../../deploy/local/run.ts';
import { endRunsIn, takeOver } from '../../deploy/local/run-file.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { eventually } from '../support/eventually.ts';
import { runSource, untilGone, untilStdinEnds } from '../support/run-source.ts';

const root = resolve(import.meta.dirname, '../..');
const base = mkdtempSync(join(tmpdir(), 'gsb-stop-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const deaf = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('up');";
const startDeaf = async (run: Run): Promise<Child> => {
  const log = run.logOf('deaf');
  const child = run.start({
    name: 'deaf',
    command: process.execPath,
    args: ['-e', deaf],
    log,
    wave: 'service',
  });
  await eventually(
    async () => readFileSync(log, 'utf8'),
    (printed) => printed.includes('up'),
  );
  return child;
};

test('whoever asks a run to stop waits until all has ended; what does not listen is killed', async () => {
  const run = createRun(join(base, 'deaf'));
  const child = await startDeaf(run);

  void run.stop(300);
  await run.stop();

  expect(startOf(child.pid)).toBeUndefined();
  expect(readdirSync(run.dir)).toEqual(['logs']);
});

test('a run that is killed waits for no process that does not listen, nor for one that is being stopped', async () => {
  const run = createRun(join(base, 'killed'));
  const child = await startDeaf(run);
  const startedAt = performance.now();

  const stopped = run.stop();
  await run.kill();
  await stopped;

  expect(startOf(child.pid)).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(readdirSync(run.dir)).toEqual(['logs']);
});

test('a run that is on its way out is waited for by the next one', async () => {
  const run = createRun(join(base, 'leaving'));
  const child = await startDeaf(run);
  const printed: string[] = [];
  void run.stop(900);

  const found = await takeOver(run.dir, (line) => printed.push(line));

  expect([found, startOf(child.pid)]).toEqual([undefined, undefined]);
  expect(printed).toEqual([expect.stringMatching(/waiting for the run before this one/)]);
});

test('a run whose folder can no longer be written to stops what it has started', async () => {
  const printed: string[] = [];
  const run = createRun(join(base, 'unwritable'), (line) => printed.push(line));
  const child = await startDeaf(run);
  rmSync(join(run.dir, 'run.json'));
  mkdirSync(join(run.dir, 'run.json'));

  await run.stop(300);

  expect(startOf(child.pid)).toBeUndefined();
  expect(printed).toEqual([expect.stringMatching(/run\.json could not be written/)]);
});

test('the runs in a folder are ended with the processes that have them, so that nothing of them is started again', async () => {
  const dir = join(base, 'held');
  const hold = `
    import { createRun } from './deploy/local/run.ts';
    const run = createRun(${JSON.stringify(join(dir, 'one'))});
    const start = () => run.start({
      ...{ name: 'held', command: process.execPath, args: ['-e', 'setInterval(() => undefined, 1000)'], log: run.logOf('held') },
    });
    const { pid, exited } = start();
    void exited.then(start);
    console.log(pid);`;
  const { child: holder, said } = runSource(hold);
  const held = Number(await said);

  await endRunsIn(dir);

  expect([startOf(held), startOf(holder.pid!)]).toEqual([undefined, undefined]);
  const { children } = JSON.parse(readFileSync(join(dir, 'one', 'run.json'), 'utf8')) as {
    readonly children: readonly { readonly pid: number }[];
  };
  expect(children.map(({ pid }) => startOf(pid))).toEqual([undefined]);
});

test('a run that stays is told by its pid', async () => {
  const run = createRun(join(base, 'staying'));

  const pid = await takeOver(run.dir, () => undefined);

  expect(pid).toBe(process.pid);
  await run.stop();
});

test('a stack starts its own stores whatever the environment names; without Java there is one message, and nothing is left', async () => {
  const before = { ...process.env };
  Object.assign(process.env, { PATH: '', KAFKA_BROKERS: '127.0.0.1:9092' });
  const run = createRun(join(base, 'no-java'));
  const starting = startStack({ dir: run.dir, run, ports: 'free', settings: {}, print: () => undefined });

  await expect(starting).rejects.toThrow(/needs Java.*KAFKA_BROKERS.*compose\.yaml/);

  await run.stop(1_000);
  Object.assign(process.env, before);
  expect(readdirSync(run.dir)).toEqual(['logs']);
});

test('a folder that a run comes to own when it has stopped is gone', async () => {
  const run = createRun(join(base, 'late'));
  const folder = mkdtempSync(join(base, 'owned-'));
  await run.stop();

  expect(() => run.ownFolder(folder)).toThrow('stopped');

  expect(existsSync(folder)).toBe(false);
});

test('a port that is taken is passed over for the next free one', async () => {
  const wanted = await freePort(0);
  const taker = createServer().listen(wanted, '127.0.0.1');
  await once(taker, 'listening');

  const given = await freePort(wanted);

  expect(given).toBeGreaterThan(wanted);
  taker.close();
});

test('processes that choose ports in one moment are given different ones', async () => {
  const from = await freePort(0);
  const choose = `
    import { freePort } from './deploy/local/free-port.ts';
    const ports = [];
    for (let at = 0; at < 20; at += 1) ports.push(await freePort(${from}));
    console.log(ports.join(' '));
    ${untilStdinEnds}`;
  const choosers = Array.from({ length: 3 }, () => runSource(choose));

  const lines = await Promise.all(choosers.map(({ said }) => said));
  choosers.forEach(({ child }) => child.stdin.end());

  const ports = lines.flatMap((line) => line.split(' '));
  expect([ports.length, new Set(ports).size]).toEqual([60, 60]);
});

test('when npm is killed, what it started ends', async () => {
  const held = 'console.log(process.pid); setInterval(() => undefined, 1000)';
  const script = `node deploy/local/bootstrap.mjs -e '${held}'; true`;
  const env = { ...process.env, npm_lifecycle_event: 'start' };
  const npm = spawn('sh', ['-c', script], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(npm.stdout, 'data')) as [Buffer];
  const pid = Number(printed.toString());

  npm.kill('SIGKILL');

  await untilGone(pid, 5_000);
});
