import { readdirSync } from 'node:fs';
import { z } from 'zod';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep } from '#libs/runtime/wait.ts';
import { loadStatement } from './statement.ts';
import type { Db } from './statement.ts';

const appliedMigrations = loadStatement({
  file: new URL('./applied-migrations.sql', import.meta.url),
  row: z.object({ name: z.string() }),
});

const pauseMs = 1_000;
const undefinedTable = '42P01';
const isMissingTable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === undefinedTable;

/** The migrations of a folder that a database does not have yet. */
export const missingMigrations = async (db: Db, folder: string): Promise<string[]> => {
  const applied = await appliedMigrations(db, []).catch((error: unknown) => {
    if (isMissingTable(error)) return [];
    throw error;
  });
  const known = new Set(applied.map(({ name }) => name));
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.map((file) => file.slice(0, -'.sql'.length)).filter((name) => !known.has(name));
};

/** Refuses to work with a schema that is older than the code; a newer one is fine, as migrations only go forward. */
export const requireSchema = async (db: Db, folder: string): Promise<void> => {
  const missing = await missingMigrations(db, folder);
  if (missing.length > 0)
    throw new Error(
      `the database's schema is older than this program: ${missing.join(', ')} not applied. Run the migration first (services/settlement/migrate.ts)`,
    );
};

interface SchemaOptions {
  readonly db: Db;
  readonly folder: string;
  readonly log: Log;
}

/** Waits on start until the database has every migration of a folder: the job that applies them may still be on its way. */
export const awaitSchema = ({ db, folder, log }: SchemaOptions): Component => {
  const ending = new AbortController();
  const lack = (): Promise<string> =>
    missingMigrations(db, folder).then(
      (names) => (names.length === 0 ? '' : `the schema lacks ${names.join(', ')}`),
      (error: unknown) =>
        `the schema cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  const wait = async (): Promise<void> => {
    for (let said = ''; !ending.signal.aborted;) {
      const now = await lack();
      if (now === '') return;
      if (now !== said) log.warn({}, `${now}; waiting for it`);
      said = now;
      await sleep(pauseMs, ending.signal);
    }
  };
  return { name: 'schema', start: wait, stop: async () => ending.abort() };
};
