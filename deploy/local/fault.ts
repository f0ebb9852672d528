import { resolve } from 'node:path';
import { readStack } from '#simulators/stack-file.ts';
import { usage } from './faults/commands.ts';

const path = resolve(import.meta.dirname, '../../.local/stack.json');
/** A replica that is started again drains first. */
const deadlineMs = 60_000;

/** What was done or is wrong, and the exit code. */
const answerTo = async (command: string): Promise<[text: string, exitCode: number]> => {
  if (command === '') return [usage(), 1];
  const { faults } = (await readStack(path).catch(() => undefined)) ?? {};
  if (faults === undefined) return ['No stack to break: npm start -- --topology many', 1];
  const signal = AbortSignal.timeout(deadlineMs);
  const answer = await fetch(faults.url, { method: 'POST', body: command, signal });
  return [(await answer.text()).trimEnd(), answer.ok ? 0 : 1];
};

const [text, exitCode] = await answerTo(process.argv.slice(2).join(' '));
process.stdout.write(`${text}\n`);
process.exitCode = exitCode;
