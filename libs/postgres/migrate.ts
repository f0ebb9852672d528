import { runner } from 'node-pg-migrate';

const lockWaitMs = 30_000;

/** Applies the numbered .sql files of a folder that are not applied yet, forward only, one process at a time (advisory lock). Returns their names. */
export const migrate = async (databaseUrl: string, folder: string): Promise<string[]> => {
  const applied = await runner({
    databaseUrl: { connectionString: databaseUrl, lock_timeout: lockWaitMs },
    dir: folder,
    direction: 'up',
    migrationsTable: 'gsb_migrations',
    checkOrder: true,
    log: () => undefined,
  });
  return applied.map(({ name }) => name);
};
