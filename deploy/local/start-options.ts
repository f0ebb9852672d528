import { parseArgs } from 'node:util';
import { Missing } from './progress.ts';

const usage = `npm start                         one of everything
npm start -- --topology many      three brokers, a replica of each store, two replicas of every service
npm start -- --observe            also Prometheus, Alertmanager, traces, and the boards
npm start -- --once               plays the journey and exits`;

/** What `npm start` was asked for. */
export interface StartOptions {
  /** Plays the journey and exits. */
  readonly once: boolean;
  readonly topology: 'one' | 'many';
  /** Also starts what watches the stack. */
  readonly observe: boolean;
}

const parsed = (args: readonly string[]) => {
  const options = {
    once: { type: 'boolean' },
    observe: { type: 'boolean' },
    topology: { type: 'string' },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Missing(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
};

/** Reads the command line. Throws Missing with the usage. */
export const readStartOptions = (args: readonly string[]): StartOptions => {
  const { once = false, observe = false, topology = 'one' } = parsed(args);
  if (topology === 'one' || topology === 'many') return { once, topology, observe };
  throw new Missing(`--topology is one or many\n${usage}`);
};
