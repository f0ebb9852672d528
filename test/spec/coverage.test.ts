import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

test('every row of every table of the specification is covered by a test', async () => {
  const { stdout } = await run(process.execPath, ['test/spec/coverage-report.ts'], { cwd: root });

  expect(stdout).toMatch(/^\d+ rows, 0 not covered$/m);
  expect(stdout).not.toContain('NOT COVERED');
});
