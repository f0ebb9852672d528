import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import type { DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { checkRoles, grant } from '#libs/postgres/grant.ts';
import { migrate } from '#libs/postgres/migrate.ts';
import type { Grants } from '#libs/postgres/rights.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { migrateSchema, migrationsFolder } from './config.ts';
import { roles } from './roles.ts';
import type { RoleName } from './roles.ts';

const limits = { lockTimeoutMs: 30_000, statementTimeoutMs: 30_000 };
const print = (line: string): void => void process.stdout.write(`${line}\n`);

type Names = Partial<Readonly<Record<RoleName, string | undefined>>>;

/** The roles that are named, each with its rights; none where one role does everything. */
const named = ({ writer, reader, closer }: Names): (readonly [string, Grants])[] =>
  writer === undefined || reader === undefined || closer === undefined
    ? []
    : [
        [writer, roles.writer],
        [reader, roles.reader],
        [closer, roles.closer],
      ];

const connected = async (url: string, work: (connection: DedicatedConnection) => Promise<void>) => {
  const connection = await openConnection(url, limits);
  await work(connection).finally(() => connection.end());
};

runMain(async () => {
  const { DATABASE_URL: url, ...config } = readConfig(migrateSchema, process.env);
  const given = named({
    writer: config.POSTGRES_WRITER_USERNAME,
    reader: config.POSTGRES_READER_USERNAME,
    closer: config.POSTGRES_CLOSER_USERNAME,
  });
  const names = given.map(([name]) => name);
  // A wrong name is refused before the schema changes, and not after.
  if (given.length > 0) await connected(url, (connection) => checkRoles(connection, names));
  const applied = await migrate({ databaseUrl: url, folder: migrationsFolder });
  print(applied.length === 0 ? 'the schema is up to date' : `applied ${applied.join(', ')}`);
  if (given.length === 0) return;
  await connected(url, (connection) => grant(connection, given));
  print(`${names[0]} may write the ledger, ${names[1]} read it, ${names[2]} close days`);
});
