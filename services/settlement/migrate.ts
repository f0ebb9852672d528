import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { migrate } from '#libs/postgres/migrate.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { postgresSettings } from '#libs/runtime/settings.ts';

const folder = fileURLToPath(new URL('./migrations', import.meta.url));

runMain(async () => {
  const { DATABASE_URL } = readConfig(z.object(postgresSettings), process.env);
  const applied = await migrate({ databaseUrl: DATABASE_URL, folder });
  process.stdout.write(
    applied.length === 0 ? 'the schema is up to date\n' : `applied ${applied.join(', ')}\n`,
  );
});
