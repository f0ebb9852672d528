import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { operatorEnv } from './operator.ts';

const root = resolve(import.meta.dirname, '../..');

/** How a command ended; `code` is null when it was killed. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const anOperator = operatorEnv();

/** A command of the product as a process of its own, run by an operator with all roles: its end, and what it has said on stderr so far. */
export const startCommand = (entry: string, args: string[], env: Record<string, string>) => {
  const flags = ['--disable-warning=ExperimentalWarning', resolve(root, entry)];
  const child = spawn(process.execPath, [...flags, ...args], {
    env: { ...process.env, ...anOperator, ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  const ended = new Promise<Ended>((done) => child.on('close', (code) => done({ code, out, err })));
  const type = (text: string) => void child.stdin.write(text);
  const stopReading = () => void child.stdout.destroy();
  return { ended, printed: () => err, type, stopReading, kill: () => child.kill('SIGKILL') };
};

/** Runs a command of the product to its end. */
export const runCommand = (entry: string, args: string[], env: Record<string, string>): Promise<Ended> =>
  startCommand(entry, args, env).ended;
