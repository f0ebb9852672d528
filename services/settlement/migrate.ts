import { grant } from '#libs/postgres/grant.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import { migrate } from '#libs/postgres/migrate.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { migrateSchema, migrationsFolder } from './config.ts';
import { roles } from './roles.ts';

const limits = { lockTimeoutMs: 30_000, statementTimeoutMs: 30_000 };
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The rights of the roles that are named; none where one role does everything. */
const grantRoles = async (
  url: string,
  names: Partial<Readonly<Record<keyof typeof roles, string | undefined>>>,
) => {
  const { writer, reader, closer } = names;
  if (writer === undefined || reader === undefined || closer === undefined) return;
  const connection = await openConnection(url, limits);
  try {
    const given = [
      [writer, roles.writer],
      [reader, roles.reader],
      [closer, roles.closer],
    ] as const;
    await grant(connection, given);
  } finally {
    await connection.end();
  }
  print(`${writer} may write the ledger, ${reader} read it, ${closer} close days`);
};

runMain(async () => {
  const { DATABASE_URL, ...config } = readConfig(migrateSchema, process.env);
  const applied = await migrate({ databaseUrl: DATABASE_URL, folder: migrationsFolder });
  print(applied.length === 0 ? 'the schema is up to date' : `applied ${applied.join(', ')}`);
  await grantRoles(DATABASE_URL, {
    writer: config.POSTGRES_WRITER_USERNAME,
    reader: config.POSTGRES_READER_USERNAME,
    closer: config.POSTGRES_CLOSER_USERNAME,
  });
});
