import { join } from 'node:path';
import { findUnittest, run } from './programs.ts';
import { root } from './renders.ts';

const charts = ['gsb', 'gsb-deps'].map((name) => join(root, 'charts', name));

const tail = (text: string): string => text.trim().split('\n').slice(-60).join('\n');

/** helm lint --strict over both charts. */
export const lint = async (): Promise<string[]> => {
  const { code, stdout, stderr } = await run('helm', ['lint', '--strict', ...charts]);
  return code === 0 ? [] : [tail(stdout + stderr)];
};

/** helm-unittest over both charts: what failed, and how many tests there were. */
export const unittest = async (): Promise<{ problems: string[]; tests: string }> => {
  const [program = 'helm-unittest', ...before] = (await findUnittest()) ?? [];
  const { code, stdout, stderr } = await run(program, [...before, ...charts]);
  const tests = /^Tests:\s+(.*)$/m.exec(stdout)?.[1] ?? 'no tests';
  return { problems: code === 0 ? [] : [tail(stdout + stderr)], tests };
};
