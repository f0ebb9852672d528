import { execute, onPath } from './cache.ts';

const installDeadlineMs = 180_000;

/** Installs a package of Debian, where we are root and there is apt-get. Resolves to whether it did. */
export const installPackage = async (name: string): Promise<boolean> => {
  if (process.getuid?.() !== 0 || onPath('apt-get') === undefined) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => execute('apt-get', args, { env, timeout: installDeadlineMs });
  try {
    await apt('update', '-q');
    await apt('install', '-q', '-y', '--no-install-recommends', name);
    return true;
  } catch {
    return false;
  }
};
