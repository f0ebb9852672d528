import { copyFileSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const largestBytes = 10 * 1024 * 1024;
const lookEveryMs = 5_000;

/** Every log of a folder that has grown too large becomes `<name>.log.1`, and begins anew; who writes it appends, and notices nothing. */
export const turnLogs = (folder: string, limitBytes = largestBytes): void => {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.log'))) {
    const path = join(folder, name);
    if (statSync(path).size <= limitBytes) continue;
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
  }
};

/** Keeps the logs of a folder bounded for as long as this process lives. Returns how to leave them alone. */
export const boundLogs = (folder: string): (() => void) => {
  const look = () => {
    try {
      turnLogs(folder);
    } catch {
      return; // the folder is gone: a stack that is being removed
    }
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return () => clearInterval(timer);
};
