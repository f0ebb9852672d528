import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** How a command ended; `code` is null when it was killed. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command of the product as a process of its own: its end, and what it has said on stderr so far. */
export const startCommand = (entry: string, args: string[], env: Record<string, string>) => {
  const flags = ['--disable-warning=ExperimentalWarning', resolve(root, entry)];
  const child = spawn(process.execPath, [...flags, ...args], { env: { ...process.env, ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  const ended = new Promise<Ended>((done) => child.on('close', (code) => done({ code, out, err })));
  return { ended, printed: () => err, kill: () => child.kill('SIGKILL') };
};

/** Runs a command of the product to its end. */
export const runCommand = (entry: string, args: string[], env: Record<string, string>): Promise<Ended> =>
  startCommand(entry, args, env).ended;
