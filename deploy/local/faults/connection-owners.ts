import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { childrenOf } from '../processes.ts';

/** A process by the name that it was started under. */
export interface Named {
  readonly name: string;
  readonly pid: number;
}

const unlessGone = <T>(read: () => T, otherwise: T): T => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};

/** A socket by its inode and its local port: two columns of /proc/net/tcp. */
const parsed = (line: string): [inode: string, port: number] => {
  const [, local = '', , , , , , , , inode = '0'] = line.trim().split(/\s+/);
  return [inode, parseInt(local.slice(local.lastIndexOf(':') + 1), 16)];
};

/** The sockets whose local port is one of these, by their inode; one that no process holds any more has none. */
const inodesOf = (ports: ReadonlySet<number>): Map<string, number> => {
  const files = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) =>
    unlessGone(() => readFileSync(file, 'utf8'), ''),
  );
  const sockets = files.flatMap((file) => file.split('\n').slice(1).map(parsed));
  return new Map(sockets.filter(([inode, port]) => ports.has(port) && inode !== '0'));
};

const socketsOf = (pid: number): string[] =>
  unlessGone(() => readdirSync(`/proc/${pid}/fd`), []).flatMap((fd) => {
    const target = unlessGone(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '');
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
  });

/**
 * Which of these processes, or which child of theirs, opened the connections with these local ports on this machine. A port that is not
 * in the answer belongs to somebody else, or the system has no /proc.
 */
export const connectionOwners = (
  ports: readonly number[],
  processes: readonly Named[],
): Map<number, string> => {
  const inodes = inodesOf(new Set(ports));
  if (inodes.size === 0) return new Map();
  const owned = processes.flatMap(({ name, pid }) =>
    [pid, ...childrenOf(pid)].flatMap(socketsOf).map((inode) => [inodes.get(inode), name] as const),
  );
  return new Map(owned.flatMap(([port, name]) => (port === undefined ? [] : [[port, name]])));
};
