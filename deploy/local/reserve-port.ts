import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { startOf } from './processes.ts';

/** A file for each port that a process has chosen and perhaps not opened yet: by its pid and start others know whether it still lives. */
const folder = join(tmpdir(), `gsb-ports-${userInfo().uid}`);

const me = (): string => `${process.pid} ${startOf(process.pid)}`;

const isHeld = (file: string): boolean => {
  try {
    const [pid, ...start] = readFileSync(file, 'utf8').split(' ');
    return startOf(Number(pid)) === start.join(' ');
  } catch {
    return false;
  }
};

/** Keeps a port for this process as long as it lives; false where another one has it. Of two that ask in one moment one has it. */
export const reservePort = (port: number): boolean => {
  const file = join(folder, String(port));
  mkdirSync(folder, { recursive: true });
  if (isHeld(file)) return false;
  try {
    rmSync(file, { force: true });
    writeFileSync(file, me(), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
};
