import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onInterrupt } from '../../deploy/local/on-interrupt.ts';
import { createRun } from '../../deploy/local/run.ts';
import { endRunsIn } from '../../deploy/local/run-file.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { endSuite } from './end-run.ts';

/** Limits short enough to be watched, the same as the README's; and room for all that the suite does wrong from one address. */
const settings = {
  OTT_TTL_SEC: '4',
  HEARTBEAT_INTERVAL_SEC: '3',
  SESSION_EXPIRY_SEC: '8',
  SESSION_EXPIRY_SLACK_SEC: '1',
  LAUNCHER_SILENCE_SEC: '20',
  GRACE_SEC: '5',
  RATE_FAILURES_PER_ADDRESS: '10000/60',
  RATE_FAILURES_PER_KEY: '10000/60',
  RATE_GUESSES_PER_KEY: '10000/60',
};

/** One real stack for the whole suite, on free ports, in a folder beside those of test files that have a stack for themselves. */
export default async function setUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gsb-test-'));
  const dir = join(folder, 'suite');
  const run = createRun(dir);
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  Object.assign(globalThis, { gsbRun: run });
  // Jest's workers end without a word, and what their files have started for themselves would stay.
  onInterrupt(() => endRunsIn(folder).finally(() => endSuite(run)));
  try {
    const stack = await startStack({ dir, print, ports: 'free', settings, run });
    Object.assign(process.env, {
      GSB_STACK: stack.path,
      KAFKA_BROKERS: stack.kafka.brokers.join(','),
      REDIS_URL: stack.redis.url,
      DATABASE_URL: stack.postgres.url,
    });
  } catch (error) {
    await endSuite(run);
    throw error;
  }
}
