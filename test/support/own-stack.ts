import { mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRun } from '../../deploy/local/run.ts';
import { startStack } from '../../deploy/local/stack.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import type { ManyStack, RedisTopology } from '../../deploy/local/many/many-stack.ts';
import type { StackOptions } from '../../deploy/local/start-services.ts';
import { endRun } from './end-run.ts';

/** Limits of some seconds, so that expiries can be watched. */
export const shortLimits = {
  HEARTBEAT_INTERVAL_SEC: '3',
  SESSION_EXPIRY_SEC: '8',
  SESSION_EXPIRY_SLACK_SEC: '1',
} as const;

interface OwnStack<S> {
  readonly stack: S;
  /** What was printed to the terminal. */
  readonly printed: string[];
  /** Where the stores keep their data, each in a folder of its name. */
  readonly dir: string;
  /** The processes that it has started and that live. */
  pids(): number[];
  stop(): Promise<void>;
}

interface StartedStack<S> extends OwnStack<S> {
  /** As `stop`, without a drain. */
  kill(): Promise<void>;
}

const startOwnStack = async <S>(
  settings: Record<string, string>,
  start: (options: StackOptions) => Promise<S>,
): Promise<StartedStack<S>> => {
  const dir = mkdtempSync(join(dirname(process.env['GSB_STACK'] ?? ''), '..', 'own-'));
  const run = createRun(dir);
  const printed: string[] = [];
  const [stop, kill] = [() => endRun(run), () => endRun(run, 'kill')];
  try {
    const print = (line: string) => void printed.push(line);
    const stack = await start({ dir, run, ports: 'free', settings, print });
    return { stack, printed, dir, pids: () => run.children().map(({ pid }) => pid), stop, kill };
  } catch (error) {
    await stop();
    throw error;
  }
};

const useStack = <S>(start: () => Promise<StartedStack<S>>, startsWithinMs: number): OwnStack<S> => {
  let own: StartedStack<S> | undefined;
  const started = (): OwnStack<S> => {
    if (own === undefined) throw new Error('the stack of this test file is not up');
    return own;
  };
  beforeAll(async () => {
    own = await start();
  }, startsWithinMs);
  afterAll(() => own?.kill(), 30_000);
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
    pids: () => started().pids(),
    stop: () => started().stop(),
  };
};

/**
 * A stack that one test file has for itself, because it breaks it: its own stores, and the specification's limits unless `settings` say
 * otherwise. It is up before the file's first test and killed after its last; later hooks of the file run after these.
 */
export const useOwnStack = (settings: Record<string, string> = {}): OwnStack<Stack> =>
  useStack(() => startOwnStack(settings, startStack), 120_000);

/** As `useOwnStack`, with many of everything. */
export const useManyStack = (
  settings: Record<string, string> = {},
  redis: RedisTopology = 'sentinel',
): OwnStack<ManyStack> =>
  useStack(
    () => startOwnStack(settings, (options) => startStack({ ...options, topology: 'many', redis })),
    120_000,
  );
