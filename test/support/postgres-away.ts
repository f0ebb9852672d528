import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Store } from '../../deploy/local/store-process.ts';
import { inPostgres } from './in-postgres.ts';

const execute = promisify(execFile);

const dataFolder = async (url: string): Promise<string> => {
  const { rows } = await inPostgres<{ data_directory: string }>(url, 'show data_directory');
  return rows[0]!.data_directory;
};

/** Kills Postgres as an accident does, runs commands on its data folder one after the other, and starts it again. */
export const whileAway = async (
  postgres: Store & { readonly url: string },
  commands: (folder: string) => readonly (readonly string[])[],
): Promise<void> => {
  const folder = await dataFolder(postgres.url);
  await postgres.kill();
  for (const [program = '', ...args] of commands(folder)) await execute(program, args);
  await postgres.restart();
};
