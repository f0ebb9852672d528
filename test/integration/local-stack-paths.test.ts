import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinks } from '../../deploy/local/faults/links.ts';
import { startRedisSentinels } from '../../deploy/local/many/redis-sentinels.ts';
import { createRun } from '../../deploy/local/run.ts';
import { endRun } from '../support/end-run.ts';

const base = mkdtempSync(join(tmpdir(), 'gsb-paths-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('a Redis with Sentinels comes up in a folder whose name has a blank and a quote', async () => {
  const dir = join(base, 'my "own" work');
  mkdirSync(dir);
  const run = createRun(dir);
  const links = createLinks(() => run.children());
  run.whenStopped(links.close);

  const starting = startRedisSentinels(run, links, () => undefined);

  const known = await starting.then(({ primary }) => primary()).finally(() => endRun(run));
  expect(known.name).toBe('redis-1');
}, 60_000);
