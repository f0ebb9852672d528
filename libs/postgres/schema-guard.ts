import { readdirSync } from 'node:fs';
import { z } from 'zod';
import type { Part } from '#libs/runtime/service.ts';
import { loadStatement } from './statement.ts';
import type { Db } from './statement.ts';

const appliedMigrations = loadStatement({
  file: new URL('./applied-migrations.sql', import.meta.url),
  row: z.object({ name: z.string() }),
});

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

/** `requireSchema` as a part of a service: it does not start on an older schema. */
export const schemaGuard = (db: Db, folder: string): Part => ({
  name: 'schema',
  start: () => requireSchema(db, folder),
  stop: async () => undefined,
});
