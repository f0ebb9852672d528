import { chownSync, copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../../deploy/local/cache.ts';
import { installPackage } from '../../../deploy/local/debian-package.ts';
import type { PostgresHost } from '../../../deploy/local/postgres.ts';
import { homeFor } from '../../../deploy/local/postgres.ts';
import { freePort } from '../../../deploy/local/free-port.ts';
import { Missing } from '../../../deploy/local/progress.ts';
import { runStore } from '../../../deploy/local/store-process.ts';
import { answersPostgres } from './answers-postgres.ts';
import type { Certificate } from './authority.ts';

/** Not on every PATH. */
const usual = '/usr/sbin/pgbouncer';
const found = (): string | undefined => onPath('pgbouncer') ?? (existsSync(usual) ? usual : undefined);

const program = async (): Promise<string> => {
  const server = found() ?? ((await installPackage('pgbouncer')) ? found() : undefined);
  if (server === undefined) throw new Missing('The pooler is PgBouncer. Install pgbouncer.');
  return server;
};

/** Fewer connections than the service has: two who ask at once get now one, now the other. */
const poolSize = 2;

/** What it stands before, and who may sign in; the users' passwords open both. */
interface PoolerOptions {
  readonly postgresPort: number;
  readonly users: readonly { readonly user: string; readonly password: string }[];
  readonly certificate: Certificate;
  readonly caFile: string;
}

const configuration = (home: string, port: number, { postgresPort }: PoolerOptions): string => `[databases]
* = host=localhost port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(home, 'users.txt')}
pool_mode = transaction
default_pool_size = ${poolSize}
client_tls_sslmode = require
client_tls_cert_file = ${join(home, 'server.pem')}
client_tls_key_file = ${join(home, 'server.key')}
server_tls_sslmode = verify-full
server_tls_ca_file = ${join(home, 'authority.pem')}
`;

/**
 * PgBouncer as most run it: each connection of Postgres is lent for a transaction. It ignores no setting that a client signs in with, so that one
 * is a refusal. Resolves to its port.
 */
export const startPgBouncer = async (host: PostgresHost, options: PoolerOptions): Promise<number> => {
  const { run, user, print } = host;
  const command = await program();
  const home = homeFor(run.dir, user, 'pgbouncer');
  run.ownFolder(home);
  const port = await freePort(0);
  const { certificate, caFile, users } = options;
  copyFileSync(certificate.certFile, join(home, 'server.pem'));
  copyFileSync(certificate.keyFile, join(home, 'server.key'));
  copyFileSync(caFile, join(home, 'authority.pem'));
  writeFileSync(join(home, 'users.txt'), users.map((each) => `"${each.user}" "${each.password}"\n`).join(''));
  writeFileSync(join(home, 'pgbouncer.ini'), configuration(home, port, options));
  for (const file of ['server.pem', 'server.key', 'authority.pem', 'users.txt', 'pgbouncer.ini'])
    if (user) chownSync(join(home, file), user.uid, user.gid);
  const args = [join(home, 'pgbouncer.ini')];
  const log = run.logOf('pgbouncer');
  await runStore(run, {
    print,
    command: () => ({ name: 'pgbouncer', command, args, log, user, cwd: home, wave: 'store' }),
    ready: () => answersPostgres(port),
  });
  return port;
};
