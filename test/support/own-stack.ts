import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRun } from '../../deploy/local/run.ts';
import { startStack } from '../../deploy/local/stack.ts';
import type { Stack } from '../../deploy/local/stack.ts';

/** Limits of some seconds, so that expiries can be watched. */
export const shortLimits = {
  HEARTBEAT_INTERVAL_SEC: '3',
  SESSION_EXPIRY_SEC: '8',
  SESSION_EXPIRY_SLACK_SEC: '1',
} as const;

interface OwnStack {
  readonly stack: Stack;
  /** What was printed to the terminal. */
  readonly printed: string[];
  /** Where the stores keep their data, each in a folder of its name. */
  readonly dir: string;
  stop(): Promise<void>;
}

const startOwnStack = async (settings: Record<string, string>): Promise<OwnStack> => {
  // The suite's own stores are named in the environment; this stack must not use them.
  for (const name of ['KAFKA_BROKERS', 'REDIS_URL', 'DATABASE_URL']) process.env[name] = '';
  const dir = mkdtempSync(join(tmpdir(), 'gsb-own-'));
  const run = createRun(dir);
  const printed: string[] = [];
  const stop = async () => {
    await run.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const stack = await startStack({
      dir,
      run,
      ports: 'free',
      settings,
      print: (line) => printed.push(line),
    });
    return { stack, printed, dir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/**
 * A stack that one test file has for itself, because it breaks it: its own stores, and the specification's limits unless `settings` say
 * otherwise. It is up before the file's first test and stopped after its last; later hooks of the file run after these.
 */
export const useOwnStack = (settings: Record<string, string> = {}): Omit<OwnStack, 'stop'> => {
  let own: OwnStack | undefined;
  const started = (): OwnStack => {
    if (own === undefined) throw new Error('the stack of this test file is not up');
    return own;
  };
  beforeAll(async () => {
    own = await startOwnStack(settings);
  }, 60_000);
  afterAll(() => own?.stop(), 30_000);
  return {
    get stack() {
      return started().stack;
    },
    get printed() {
      return started().printed;
    },
    get dir() {
      return started().dir;
    },
  };
};
