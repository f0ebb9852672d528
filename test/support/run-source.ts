import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { startOf } from '../../deploy/local/processes.ts';
import { eventually } from './eventually.ts';

const root = resolve(import.meta.dirname, '../..');

/**
 * A process of its own that runs a module of TypeScript, whose imports are relative to the checkout. `said` resolves to the first that it prints.
 * `isHeard`: whether its errors are printed here.
 */
export const runSource = (source: string, { isHeard = true }: { readonly isHeard?: boolean } = {}) => {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {
    cwd: root,
    stdio: ['pipe', 'pipe', isHeard ? 'inherit' : 'ignore'],
  });
  const said = once(child.stdout, 'data').then(([printed]) => String(printed).trim());
  return { child, said };
};

/** The end of a source that waits until its stdin ends. */
export const untilStdinEnds = "await new Promise((resolve) => process.stdin.once('end', resolve).resume());";

/** Resolves when there is no process of this pid. */
export const untilGone = async (pid: number, deadlineMs?: number): Promise<void> => {
  await eventually(
    async () => startOf(pid) ?? 'gone',
    (state) => state === 'gone',
    deadlineMs,
  );
};
