import { run } from '../charts/programs.ts';
import type { RunOptions } from '../charts/programs.ts';

const lastWords = 1_500;

/** Runs a program to its end and returns what it printed. Throws with the last of it when it fails. */
export const ran = async (
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> => {
  const { code, stdout, stderr } = await run(program, args, { timeoutMs: 300_000, ...options });
  if (code !== 0)
    throw new Error(`${program} ${args.slice(0, 4).join(' ')}: ${(stderr + stdout).slice(-lastWords)}`);
  return stdout;
};

/** The namespace of the test. */
export const namespace = 'gsb-test';
/** The namespace of the launcher keys of many cafes (test/load/many-cafes). */
export const manyCafesNamespace = 'gsb-many-cafes';

/** kubectl in the namespace of the test, with an object on its input if need be. */
export const kubectl = (args: readonly string[], input?: string): Promise<string> =>
  ran('kubectl', ['--namespace', namespace, ...args], { input });

/** What kubectl gets, parsed; the caller says what it is. */
export const kubectlJson = async <T>(...args: string[]): Promise<T> =>
  JSON.parse(await kubectl([...args, '--output', 'json'])) as T;

/** What kubectl apply answers to an object: its complaint, or undefined when it is taken. */
export const complaintAbout = async (object: unknown): Promise<string | undefined> => {
  const { code, stderr } = await run('kubectl', ['--namespace', namespace, 'apply', '--filename', '-'], {
    input: JSON.stringify(object),
  });
  return code === 0 ? undefined : stderr;
};

/** Longer than the longest --timeout that helm is given: helm itself is to say what it waited for. */
const helmTimeoutMs = 400_000;

/** helm in the namespace of the test. */
export const helm = (...args: string[]): Promise<string> =>
  ran('helm', [...args, '--namespace', namespace], { timeoutMs: helmTimeoutMs });
