import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { roles } from '../../services/settlement/roles.ts';
import type { RoleName } from '../../services/settlement/roles.ts';

/** How each part signs in to Postgres, as settings: what the migration names, what settlement has, and the address of close-day. */
export interface PostgresLogins {
  readonly migration: Readonly<Record<string, string>>;
  readonly settlement: Readonly<Record<string, string>>;
  readonly closerUrl?: string;
}

/** One role does everything: the servers of the environment have roles of their own. */
export const oneLogin = (url: string): PostgresLogins => ({
  migration: {},
  settlement: { DATABASE_URL: url },
});

const userOf = (role: RoleName): string => `gsb_${role}`;

/** Roles with new passwords on a server that starts, apart from the owner, whose URL it is (D-53). The migration gives them their rights. */
export const createPostgresLogins = async (url: string): Promise<PostgresLogins> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  const passwords = new Map(
    (Object.keys(roles) as RoleName[]).map((role) => [role, randomBytes(16).toString('hex')]),
  );
  const passwordOf = (role: RoleName): string => passwords.get(role) ?? '';
  const urlOf = (role: RoleName): string =>
    Object.assign(new URL(url), { username: userOf(role), password: passwordOf(role) }).href;
  for (const role of passwords.keys())
    await client.query(
      `create role ${escapeIdentifier(userOf(role))} login password ${escapeLiteral(passwordOf(role))}`,
    );
  await client.end();
  return {
    migration: {
      POSTGRES_WRITER_USERNAME: userOf('writer'),
      POSTGRES_READER_USERNAME: userOf('reader'),
      POSTGRES_CLOSER_USERNAME: userOf('closer'),
    },
    settlement: {
      DATABASE_URL: urlOf('reader'),
      POSTGRES_WRITER_USERNAME: userOf('writer'),
      POSTGRES_WRITER_PASSWORD: passwordOf('writer'),
    },
    closerUrl: urlOf('closer'),
  };
};
