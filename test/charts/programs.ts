import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a program printed, and how it ended. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a program is run with besides its arguments. */
export interface RunOptions {
  readonly input?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly timeoutMs?: number;
  readonly cwd?: string;
}

const usualTimeoutMs = 120_000;
const mostOutput = 64 * 1024 * 1024;

/** Runs a program to its end; it does not throw, whatever the program does. */
export const run = (program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  new Promise((resolve) => {
    const { input, env = process.env, timeoutMs: timeout = usualTimeoutMs, cwd } = options;
    const child = execFile(
      program,
      args,
      { env, timeout, cwd, maxBuffer: mostOutput },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 127;
        resolve({ code, stdout, stderr: error !== null && stderr === '' ? error.message : stderr });
      },
    );
    child.stdin?.on('error', () => undefined).end(input ?? '');
  });

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Whether a program is on the PATH. */
export const onPath = (program: string, path = process.env['PATH'] ?? ''): boolean =>
  path.split(delimiter).some((folder) => folder !== '' && isThere(join(folder, program)));

/** How helm-unittest is called here: by itself or as helm's plugin; undefined when it is neither. */
export const findUnittest = async (): Promise<readonly string[] | undefined> => {
  if (onPath('helm-unittest')) return ['helm-unittest'];
  const { code, stdout } = await run('helm', ['plugin', 'list']);
  return code === 0 && /^unittest\s/m.test(stdout) ? ['helm', 'unittest'] : undefined;
};

/** What is missing to judge the charts at all, each with its remedy. */
export const missingPrograms = async (): Promise<string[]> => {
  if (!onPath('helm')) return ['helm is not on the PATH: install Helm 3.14 or later (helm.sh)'];
  return [
    ...((await findUnittest()) === undefined
      ? [
          'helm-unittest is neither on the PATH nor a plugin of helm: helm plugin install https://github.com/helm-unittest/helm-unittest',
        ]
      : []),
    ...(onPath('kube-score') ? [] : ['kube-score is not on the PATH: install it (kube-score.com)']),
  ];
};
