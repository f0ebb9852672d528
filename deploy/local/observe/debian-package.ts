import { join } from 'node:path';
import { cached, execute, onPath } from '../cache.ts';

const deadlineMs = 180_000;

/**
 * A file of a package of Debian, unpacked into the cache and not installed: an installed service would start, and take the usual port.
 * Undefined where there is no such package.
 */
export const fromDebian = async (name: string, file: string): Promise<string | undefined> => {
  if (onPath('apt-get') === undefined || onPath('dpkg-deb') === undefined) return undefined;
  try {
    const folder = await cached(`${name}-1`, async (into) => {
      const options = { cwd: into, timeout: deadlineMs };
      await execute('apt-get', ['download', name], options).catch(async () => {
        await execute('apt-get', ['update', '-q'], options);
        await execute('apt-get', ['download', name], options);
      });
      await execute('sh', ['-c', `dpkg-deb -x ${name}_*.deb .`], options);
    });
    return join(folder, file);
  } catch {
    return undefined;
  }
};

/** A program: from the PATH, or Debian's package; undefined where neither is. */
export const programFrom = async (name: string, command = name): Promise<string | undefined> =>
  onPath(command) ?? (await fromDebian(name, `usr/bin/${command}`));
