import { z } from 'zod';
import { migrate } from '#libs/postgres/migrate.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { postgresSettings } from '#libs/runtime/settings.ts';
import { migrationsFolder } from './config.ts';

runMain(async () => {
  const { DATABASE_URL } = readConfig(z.object(postgresSettings), process.env);
  const applied = await migrate({ databaseUrl: DATABASE_URL, folder: migrationsFolder });
  process.stdout.write(
    applied.length === 0 ? 'the schema is up to date\n' : `applied ${applied.join(', ')}\n`,
  );
});
