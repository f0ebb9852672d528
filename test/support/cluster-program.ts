import { once } from 'node:events';
import { createServer } from 'node:net';
import { run } from '../charts/programs.ts';

/** What `env` of a program that brings a cluster up prints for a shell. */
export const environmentOf = (shell: string): NodeJS.ProcessEnv => {
  const pairs = [...shell.matchAll(/^export (\w+)="?([^"\n#]*?)"?\s*(?:#.*)?$/gm)];
  const path = process.env['PATH'] ?? '';
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.replace('$PATH', path)]));
};

/** Whether the program's cluster is up. */
export const isUp = async (program: string): Promise<boolean> => (await run(program, ['status'])).code === 0;

/** What can be had by one process at a time: the cluster that a program brings up on this machine, and the namespace of the test. */
type Claimed = 'cluster' | 'namespace';

/** Told to whoever comes second. */
export const inUse =
  'Another test:cluster or test:charts uses the cluster from this machine. Try again when it has ended.';

/** Takes what only one may have, for as long as this process lives, by an abstract socket of Linux; whether nobody else has it. Elsewhere nobody knows. */
export const claim = async (what: Claimed): Promise<boolean> => {
  if (process.platform !== 'linux') return true;
  const socket = createServer().unref();
  try {
    await once(socket.listen(`\0gsb-test-${what}`), 'listening');
    return true;
  } catch {
    return false;
  }
};
