import { runner } from 'node-pg-migrate';
import { keepAlive } from './dedicated-connection.ts';

const lockTimeoutMs = 30_000;
const migrationsTable = 'gsb_migrations';

/** Which database, and the folder of the .sql files. */
export interface Migration {
  readonly databaseUrl: string;
  readonly folder: string;
}

/**
 * Applies the numbered .sql files of a folder that are not applied yet, forward only. One process at a time: others wait for the advisory
 * lock. A migration waits for a table lock 30 s at most, so that a busy table fails the migration and not the service. Returns the names applied.
 */
export const migrate = async ({ databaseUrl, folder }: Migration): Promise<string[]> => {
  const applied = await runner({
    databaseUrl: { connectionString: databaseUrl, lock_timeout: lockTimeoutMs, ...keepAlive },
    dir: folder,
    direction: 'up',
    migrationsTable,
    checkOrder: true,
    advisoryLockMode: 'wait',
    log: () => undefined,
  });
  return applied.map(({ name }) => name);
};
