import { parseArgs } from 'node:util';
import { Missing } from './progress.ts';

const usage = `npm start                         one of everything
npm start -- --topology many      three brokers, a replica of each store, two replicas of every service
npm start -- --once               plays the journey and exits`;

/** What `npm start` was asked for. */
export interface StartOptions {
  /** Plays the journey and exits. */
  readonly once: boolean;
  readonly topology: 'one' | 'many';
}

const parsed = (args: readonly string[]) => {
  const options = { once: { type: 'boolean' }, topology: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Missing(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
};

/** Reads the command line. Throws Missing with the usage. */
export const readStartOptions = (args: readonly string[]): StartOptions => {
  const { once = false, topology = 'one' } = parsed(args);
  if (topology === 'one' || topology === 'many') return { once, topology };
  throw new Missing(`--topology is one or many\n${usage}`);
};
