import { readdir } from 'node:fs/promises';
import type { Log } from '#libs/runtime/log.ts';
import type { Part } from '#libs/runtime/service.ts';
import { sleep } from '#libs/runtime/wait.ts';
import type { Db } from './statement.ts';

const pauseMs = 1_000;
const applied = { name: 'applied-migrations', text: 'select name from gsb_migrations', values: [] };

interface SchemaOptions {
  readonly db: Db;
  readonly folder: string;
  readonly log: Log;
}

/** The migrations of a folder that the database does not have; all of them when it has none yet. */
const missing = async ({ db, folder }: SchemaOptions): Promise<string[]> => {
  const wanted = (await readdir(folder)).map((file) => file.replace(/\.sql$/, ''));
  const rows = await db.query(applied).then(
    (result) => result.rows as { name: string }[],
    () => [],
  );
  const names = new Set(rows.map(({ name }) => name));
  return wanted.filter((name) => !names.has(name)).sort();
};

/** Waits on start until the database has every migration of a folder: the job that applies them may still be on its way. A newer schema is fine. */
export const awaitSchema = (options: SchemaOptions): Part => {
  const ending = new AbortController();
  const wait = async (): Promise<void> => {
    for (let said = ''; !ending.signal.aborted;) {
      const names = (await missing(options)).join(', ');
      if (names === '') return;
      if (names !== said) options.log.warn({ what: names }, 'the schema lacks migrations; waiting for them');
      said = names;
      await sleep(pauseMs, ending.signal);
    }
  };
  return { name: 'schema', start: wait, stop: async () => ending.abort() };
};
