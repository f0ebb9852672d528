import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRun } from '../../deploy/local/run.ts';
import { startStack } from '../../deploy/local/stack.ts';
import type { Stack } from '../../deploy/local/stack.ts';

/** A stack that one test file has for itself, because it breaks it: its own stores, the specification's limits, and what the terminal was told. */
export const ownStack = async (): Promise<{ stack: Stack; said: string[]; stop(): Promise<void> }> => {
  // The suite's own stores are named in the environment; this stack must not use them.
  for (const name of ['KAFKA_BROKERS', 'REDIS_URL', 'DATABASE_URL']) process.env[name] = '';
  const dir = mkdtempSync(join(tmpdir(), 'gsb-own-'));
  const run = createRun(dir);
  const said: string[] = [];
  const stop = async () => {
    await run.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const stack = await startStack({
      dir,
      run,
      ports: 'free',
      settings: {},
      print: (line) => said.push(line),
    });
    return { stack, said, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
