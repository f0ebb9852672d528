import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onInterrupt } from '../../deploy/local/on-interrupt.ts';
import { createRun } from '../../deploy/local/run.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { endRun } from './end-run.ts';

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

/** One real stack for the whole suite, on free ports, in a folder of its own. */
export default async function setUp(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'gsb-test-'));
  const run = createRun(dir);
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  Object.assign(globalThis, { gsbRun: run });
  onInterrupt(() => endRun(run));
  try {
    const stack = await startStack({ dir, print, ports: 'free', settings, run });
    Object.assign(process.env, {
      GSB_STACK: stack.path,
      KAFKA_BROKERS: stack.kafka.brokers.join(','),
      REDIS_URL: stack.redis.url,
      DATABASE_URL: stack.postgres.url,
    });
  } catch (error) {
    await endRun(run);
    throw error;
  }
}
