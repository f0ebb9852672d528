import { runner } from 'node-pg-migrate';

const lockWaitMs = 30_000;
const migrationsTable = 'gsb_migrations';

/** Which database, where the .sql files are, and the schema to build in when it is not the database's own. */
export interface Migration {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly schema?: string;
}

/**
 * Applies the numbered .sql files of a folder that are not applied yet, forward only, one process at a time: others wait for the advisory
 * lock. No lock is waited for longer than 30 s, so that a busy table fails the migration and not the service. Returns the names applied.
 */
export const migrate = async ({ databaseUrl, folder, schema }: Migration): Promise<string[]> => {
  const applied = await runner({
    databaseUrl: { connectionString: databaseUrl, lock_timeout: lockWaitMs },
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
