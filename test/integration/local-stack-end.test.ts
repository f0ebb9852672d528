import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOf } from '../../deploy/local/processes.ts';
import { runSource, untilGone } from '../support/run-source.ts';

const dir = mkdtempSync(join(tmpdir(), 'gsb-end-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A process with a run of its own, in which something was started; resolves when that has printed its pid. */
const startRunner = async (name: string, then: string) => {
  const source = `
    import { createRun } from './deploy/local/run.ts';
    import { printTo } from './deploy/local/terminal.ts';
    const run = createRun(${JSON.stringify(join(dir, name))});
    const print = printTo(process.stdout);
    const command = { name: 'held', command: process.execPath, args: ['-e', 'setInterval(() => 0, 1000)'] };
    ${then}
    print(String(run.start({ ...command, log: run.logOf('held'), wave: 'service' }).pid));`;
  const { child: runner, said } = runSource(source, { isHeard: false });
  return { runner, pid: Number(await said) };
};

test('a run whose reader or terminal is gone is stopped as any other', async () => {
  const { runner, pid } = await startRunner(
    'unread',
    `process.on('SIGINT', async () => {
       print('stopping …');
       await run.stop();
       print('stopped');
       process.exit(130);
     });`,
  );
  runner.stdout.destroy();
  await once(runner.stdout, 'close');

  runner.kill('SIGINT');

  expect(await once(runner, 'exit')).toEqual([130, null]);
  expect(startOf(pid)).toBeUndefined();
});

test('what a run has started ends with the process that started it, even by an error that nobody expected', async () => {
  const { runner, pid } = await startRunner(
    'failing',
    `setTimeout(() => { throw new Error('unexpected'); });`,
  );

  if (runner.exitCode === null) await once(runner, 'exit');

  await untilGone(pid, 5_000);
});
