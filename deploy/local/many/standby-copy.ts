import { appendFile, chown, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { Missing } from '../progress.ts';
import type { User } from '../postgres-binaries.ts';

const oldestVersion = 150_000;
/** What belongs to the running server alone; the log comes by the stream. */
const notCopied: ReadonlySet<string> = new Set(['postmaster.pid', 'postmaster.opts', 'standby.signal']);
const emptied: ReadonlySet<string> = new Set(['pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pg_dynshmem']);

interface CopyOptions {
  readonly primaryUrl: string;
  readonly from: string;
  readonly to: string;
  /** The port through which the standby reaches the primary. */
  readonly streamPort: number;
  readonly user: User | undefined;
  /** The standby's name, as the primary shows it. */
  readonly name: string;
}

const unlessGone = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

/** Copies a folder that is being written to: a file that goes away meanwhile is left out. */
const copyFolder = async (from: string, to: string, user: User | undefined): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o700 });
  if (user) await chown(to, user.uid, user.gid);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (notCopied.has(entry.name)) continue;
    if (entry.isDirectory() && emptied.has(entry.name)) await mkdirOwned(copy, user);
    else if (entry.isDirectory()) await copyFolder(source, copy, user);
    else await copyFile(source, copy).then(() => user && chown(copy, user.uid, user.gid), unlessGone);
  }
};

const mkdirOwned = async (path: string, user: User | undefined): Promise<void> => {
  for (const folder of [path, ...(path.endsWith('pg_wal') ? [join(path, 'archive_status')] : [])]) {
    await mkdir(folder, { mode: 0o700 });
    if (user) await chown(folder, user.uid, user.gid);
  }
};

const writeOwned = async (path: string, text: string, user: User | undefined): Promise<void> => {
  await writeFile(path, text, { mode: 0o600 });
  if (user) await chown(path, user.uid, user.gid);
};

const follow = ({ primaryUrl, streamPort, name }: CopyOptions): string => {
  const { username, password } = new URL(primaryUrl);
  const where = `host=127.0.0.1 port=${streamPort} user=${username} password=${password}`;
  return `primary_conninfo = '${where} application_name=${name}'\n`;
};

/**
 * Makes a data folder for a standby of a running primary: Postgres' own low-level base backup (pg_backup_start, a copy of the files,
 * pg_backup_stop), because npm's Postgres has no pg_basebackup. Throws Missing before Postgres 15.
 */
export const copyAsStandby = async (options: CopyOptions): Promise<void> => {
  const { primaryUrl, from, to, user } = options;
  const client = new Client({ connectionString: primaryUrl, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    const version = await client.query<{ n: number }>("select current_setting('server_version_num')::int n");
    if ((version.rows[0]?.n ?? 0) < oldestVersion) throw new Missing('A standby needs Postgres 15 or newer.');
    await rm(to, { recursive: true, force: true });
    await client.query("select pg_backup_start('standby', true)");
    await copyFolder(from, to, user);
    const stopped = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await writeOwned(join(to, 'backup_label'), stopped.rows[0]?.labelfile ?? '', user);
    await writeOwned(join(to, 'standby.signal'), '', user);
    await appendFile(join(to, 'postgresql.auto.conf'), follow(options));
  } finally {
    await client.end();
  }
};
