import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Store } from '../../deploy/local/store-process.ts';

const execute = promisify(execFile);

const dataFolder = async (url: string): Promise<string> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  await client.end();
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
