import { copyFileSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const maxBytes = 10 * 1024 * 1024;
const checkEveryMs = 5_000;

/** Copies every log of a folder that is larger than the limit to `<name>.log.1` and truncates it; its writer appends and is not affected. */
export const rotateLogs = (folder: string, limitBytes = maxBytes): void => {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.log'))) {
    const path = join(folder, name);
    if (statSync(path).size <= limitBytes) continue;
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
  }
};

/** Rotates the logs of a folder for as long as this process lives. Returns how to stop that. */
export const boundLogs = (folder: string): (() => void) => {
  const check = () => {
    try {
      rotateLogs(folder);
    } catch {
      return; // the folder is gone: a stack that is being removed
    }
  };
  const timer = setInterval(check, checkEveryMs).unref();
  return () => clearInterval(timer);
};
