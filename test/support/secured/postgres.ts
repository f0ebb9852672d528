import { chownSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFor, makeCluster, postgresHost, startServer } from '../../../deploy/local/postgres.ts';
import type { PostgresHost, ServerPlace } from '../../../deploy/local/postgres.ts';
import { createPostgresLogins } from '../../../deploy/local/postgres-logins.ts';
import { freePort } from '../../../deploy/local/free-port.ts';
import type { Run } from '../../../deploy/local/run.ts';
import { copyAsStandby } from '../../../deploy/local/many/standby-copy.ts';
import type { Certificate } from './authority.ts';
import { startPgBouncer } from './pgbouncer.ts';

const settings = [
  ...['ssl=on', 'ssl_cert_file=server.pem', 'ssl_key_file=server.key'],
  ...['wal_keep_size=64MB', 'hot_standby=on'],
];
/** Nobody gets in without TLS but the standby. */
const rules = 'hostssl all all all scram-sha-256\nhost replication all 127.0.0.1/32 scram-sha-256\n';

const dress = ({ user }: PostgresHost, data: string, { certFile, keyFile }: Certificate): void => {
  copyFileSync(certFile, join(data, 'server.pem'));
  copyFileSync(keyFile, join(data, 'server.key'));
  writeFileSync(join(data, 'pg_hba.conf'), rules, { mode: 0o600 });
  for (const file of ['server.pem', 'server.key', 'pg_hba.conf'])
    if (user) chownSync(join(data, file), user.uid, user.gid);
};

const placeOf = async (name: string, home: string, password: string): Promise<ServerPlace> => {
  const [host, port] = ['127.0.0.1', await freePort(0)];
  const url = `postgres://gsb:${password}@localhost:${port}/postgres?sslmode=no-verify`;
  return { name, home, host, port, settings, url };
};

/** A server that follows another one, and answers who only reads. */
const startReplica = async (host: PostgresHost, primary: ServerPlace, password: string) => {
  const home = homeFor(host.run.dir, host.user, 'postgres-replica');
  host.run.ownFolder(home);
  const place = await placeOf('postgres-replica', home, password);
  await copyAsStandby({
    ...{ primaryUrl: primary.url, from: join(primary.home, 'data'), to: join(home, 'data') },
    ...{ streamPort: primary.port, user: host.user, name: place.name },
  });
  return { port: place.port, url: place.url, store: await startServer(host, place) };
};

/**
 * Postgres as live has it: by TLS alone, with roles, a hot standby and PgBouncer before it. `url` is the owner's, who checks no certificate;
 * `verified` is any address as a client has it who checks all.
 */
export const startSecuredPostgres = async (run: Run, caFile: string, certificate: Certificate) => {
  const host = await postgresHost(run, () => undefined);
  const { home, password } = await makeCluster(host);
  dress(host, join(home, 'data'), certificate);
  const place = await placeOf('postgres', home, password);
  await startServer(host, place);
  const logins = await createPostgresLogins(place.url);
  const replica = await startReplica(host, place, password);
  const [reader, closer] = [
    new URL(logins.settlement['DATABASE_URL'] ?? ''),
    new URL(logins.closerUrl ?? ''),
  ];
  const users = [
    ...[reader, closer].map((url) => ({ user: url.username, password: url.password })),
    { user: 'gsb_writer', password: logins.settlement['POSTGRES_WRITER_PASSWORD'] ?? '' },
  ];
  const pooler = await startPgBouncer(host, {
    ...{ postgresPort: place.port, users, certificate, caFile },
  });
  const verified = (url: string): string => {
    const checked = new URL(url);
    checked.searchParams.set('sslmode', 'verify-full');
    return checked.href;
  };
  const pooled = Object.assign(new URL(reader.href), { host: `localhost:${pooler}` }).href;
  return { ...place, logins, replica, pooler, pooled, verified };
};
