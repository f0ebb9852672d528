import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rotateLogs } from '../../../../deploy/local/logs.ts';

const folder = mkdtempSync(join(tmpdir(), 'gsb-logs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a log that has grown too large begins anew and keeps its past once; a small one is left alone', () => {
  const [large, small] = [join(folder, 'large.log'), join(folder, 'small.log')];
  writeFileSync(large, 'x'.repeat(101));
  writeFileSync(small, 'few words');

  rotateLogs(folder, 100);
  appendFileSync(large, 'next');

  expect(readdirSync(folder).sort()).toEqual(['large.log', 'large.log.1', 'small.log']);
  expect([readFileSync(large, 'utf8'), readFileSync(small, 'utf8')]).toEqual(['next', 'few words']);
});
