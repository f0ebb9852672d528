import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Runs a program in a process of its own, with these flags of Node, and collects its output. */
export const processOf = (program: string, flags: readonly string[] = []) => {
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', program], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logged: string[] = [];
  let complained = '';
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => logged.push(line));
  child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
  const printed = async (pattern: RegExp): Promise<void> => {
    while (!logged.some((line) => pattern.test(line))) await once(lines, 'line');
  };
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, logged, complained }));
  return { child, printed, ended };
};
