import { runner } from 'node-pg-migrate';

const lockTimeoutMs = 30_000;
const migrationsTable = 'gsb_migrations';

/** Which database, the folder of the .sql files, and the schema to apply them to, if it is not the database's default one. */
export interface Migration {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly schema?: string;
}

/**
 * Applies the numbered .sql files of a folder that are not applied yet, forward only. One process at a time: others wait for the advisory
 * lock. A migration waits for a table lock 30 s at most, so that a busy table fails the migration and not the service. Returns the names applied.
 */
export const migrate = async ({ databaseUrl, folder, schema }: Migration): Promise<string[]> => {
  const applied = await runner({
    databaseUrl: { connectionString: databaseUrl, lock_timeout: lockTimeoutMs },
    dir: folder,
    direction: 'up',
    migrationsTable,
    checkOrder: true,
    advisoryLockMode: 'wait',
    ...(schema !== undefined && { schema, createSchema: true }),
    log: () => undefined,
  });
  return applied.map(({ name }) => name);
};
