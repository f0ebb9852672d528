import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { catalogSettings, withCatalog } from '#libs/runtime/catalog-settings.ts';
import { kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { hostPort, httpSettings, opsSettings, postgresSettings } from '#libs/runtime/settings.ts';
import { isTimeZone } from './core/days.ts';

/** The folder of the schema's migrations. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/** The time zone whose calendar days are settled (D-31). */
export const daySettings = {
  SETTLEMENT_TIME_ZONE: z
    .string()
    .refine(isTimeZone, 'must be a time zone, such as Asia/Seoul')
    .default('Asia/Seoul'),
};

const name = z.string().optional();

/** A check: all of these are set, or none is. */
const allOrNone = (...names: readonly string[]) =>
  z.superRefine(
    (config: Readonly<Record<string, unknown>>, ctx) => {
      const missing = names.filter((each) => config[each] === undefined);
      if (missing.length === names.length) return;
      for (const each of missing)
        ctx.addIssue({
          code: 'custom',
          path: [each],
          message: `is not set: ${names.join(', ')} go together`,
        });
    },
    { when: () => true },
  );

/** The environment of the migration: DATABASE_URL is the owner's, who gives these roles their rights (D-53). None: one role does everything. */
export const migrateSchema = z
  .object({
    ...postgresSettings,
    ...{ POSTGRES_WRITER_USERNAME: name, POSTGRES_READER_USERNAME: name, POSTGRES_CLOSER_USERNAME: name },
  })
  .check(allOrNone('POSTGRES_WRITER_USERNAME', 'POSTGRES_READER_USERNAME', 'POSTGRES_CLOSER_USERNAME'));

/**
 * The environment of settlement. With a writer's login DATABASE_URL is the reader's; without, one role does both (D-53). The pooler is another way
 * to the same database, which lends its connections for a transaction; the replica is a hot standby that statements are read from.
 */
export const schema = withKafka(
  withCatalog(
    z.object({
      ...opsSettings,
      ...httpSettings,
      ...kafkaSettings,
      ...postgresSettings,
      ...catalogSettings,
      ...daySettings,
      ...{ POSTGRES_POOLER: hostPort.optional(), POSTGRES_REPLICA: hostPort.optional() },
      POSTGRES_SYNCHRONOUS: z.enum(['required', 'optional']).default('optional'),
      ...{ POSTGRES_WRITER_USERNAME: name, POSTGRES_WRITER_PASSWORD: name },
    }),
  ),
).check(allOrNone('POSTGRES_WRITER_USERNAME', 'POSTGRES_WRITER_PASSWORD'));

/** The settings of settlement. */
export type Config = z.output<typeof schema>;

/** The writer's login; undefined: that of DATABASE_URL. */
export const writerLogin = ({
  POSTGRES_WRITER_USERNAME: user,
  POSTGRES_WRITER_PASSWORD: password,
}: Config) => (user === undefined || password === undefined ? undefined : { user, password });

/** The address of the database at another server. */
const at = (text: string, where: string): string => Object.assign(new URL(text), { host: where }).href;

/** Where the ledger is written and read, through the pooler if there is one, and where statements are read. */
export const ledgerAddresses = ({
  DATABASE_URL: url,
  POSTGRES_POOLER: pooler,
  POSTGRES_REPLICA: replica,
}: Config) => ({
  ledger: { url: pooler === undefined ? url : at(url, pooler), pooled: pooler !== undefined },
  replica: replica === undefined ? undefined : at(url, replica),
});
