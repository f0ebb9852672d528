import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const print = `process.on('exit', () => process.stderr.write('loaded ' + process.moduleLoadList.filter((name) => name.includes('amaro')).length))`;

interface RunAs {
  readonly flags?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** How a program ends that has no settings: it says so, and then how many modules of Node's stripper of types (amaro) it has loaded. */
export const stripperLoadedBy = async (program: string, { flags = [], cwd, env = {} }: RunAs = {}) => {
  const args = [...flags, `--import=data:text/javascript,${encodeURIComponent(print)}`, program];
  const options = { ...(cwd !== undefined && { cwd }), env: { PATH: process.env['PATH'] ?? '', ...env } };
  return promisify(execFile)(process.execPath, args, options).catch((error: unknown) => error);
};
