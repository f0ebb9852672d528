import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installPackage } from '../debian-package.ts';

const libraries = '/usr/lib';
const file = 'faketime/libfaketimeMT.so.1';

/** Debian keeps it in a folder of the machine's architecture. */
const found = (): string | undefined => {
  if (process.platform !== 'linux' || !existsSync(libraries)) return undefined;
  const folders = ['.', ...readdirSync(libraries).filter((name) => name.includes('linux'))];
  return folders.map((folder) => join(libraries, folder, file)).find(existsSync);
};

const installed = async (): Promise<string | undefined> =>
  (await installPackage('libfaketime')) ? found() : undefined;

/** The path of libfaketime: Debian's, installed when we are root; undefined where it is not to be had. */
export const findLibfaketime = async (): Promise<string | undefined> => found() ?? (await installed());

/** The environment of a process whose wall clock is so many seconds ahead, or behind; its timers run as ever. */
export const shiftedClock = (libfaketime: string, seconds: number): Record<string, string> => ({
  LD_PRELOAD: libfaketime,
  FAKETIME: `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s`,
  DONT_FAKE_MONOTONIC: '1',
});
