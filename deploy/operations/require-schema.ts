import { missingMigrations } from '#libs/postgres/schema-version.ts';
import type { Db } from '#libs/postgres/statement.ts';

/** Throws when the schema is older than the code; a newer one is fine, as migrations only go forward. */
export const requireSchema = async (db: Db, folder: string): Promise<void> => {
  const missing = await missingMigrations(db, folder);
  if (missing.length > 0)
    throw new Error(
      `the database's schema is older than this program: ${missing.join(', ')} not applied. Run the migration first (services/settlement/migrate.ts)`,
    );
};
