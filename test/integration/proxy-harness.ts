import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, onPath } from '../../deploy/local/cache.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import { eventually } from '../support/eventually.ts';

const installDeadlineMs = 180_000;

/** Debian keeps it where only root's PATH looks. */
const findNginx = (): string | undefined => onPath('nginx') ?? ['/usr/sbin/nginx'].find(existsSync);

const installed = async (): Promise<string | undefined> => {
  if (process.getuid?.() !== 0 || onPath('apt-get') === undefined) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) => execute('apt-get', args, { env, timeout: installDeadlineMs });
  try {
    await apt('update', '-q');
    await apt('install', '-q', '-y', '--no-install-recommends', 'nginx-light');
    return findNginx();
  } catch {
    return undefined;
  }
};

/** Debian's nginx: from the PATH, or installed when we are root; undefined where neither is to be had. */
export const nginxPath = async (): Promise<string | undefined> => findNginx() ?? (await installed());

/** Where requests go. */
export interface Upstreams {
  readonly launcher: string;
  readonly game: string;
}

const server = (port: number, upstream: string, forwarded: string) => `
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For ${forwarded};
    }
  }`;

/** `map`: nginx joins with a comma only when a client has sent something, as $proxy_add_x_forwarded_for does. */
const configOf = (dir: string, ports: readonly number[], { launcher, game }: Upstreams) => `
daemon off;
master_process off;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log;
events { worker_connections 64; }
http {
  access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${dir}/${name};`).join('\n')}
  map $http_x_forwarded_for $as_an_edge_in_seoul {
    "" "203.0.113.10";
    default "$http_x_forwarded_for, 203.0.113.10";
  }
${server(ports[0] ?? 0, launcher, '$proxy_add_x_forwarded_for')}
${server(ports[1] ?? 0, launcher, '$as_an_edge_in_seoul')}
${server(ports[2] ?? 0, game, '$proxy_add_x_forwarded_for')}
}
`;

/** A real nginx before the stack. `launcher` adds the address of its socket; `seoul` adds a cafe's, as an edge that saw it would. */
export const startNginx = async (program: string, upstreams: Upstreams) => {
  const dir = mkdtempSync(join(tmpdir(), 'gsb-nginx-'));
  mkdirSync(join(dir, 'logs'));
  const ports = [await freePort(0), await freePort(0), await freePort(0)];
  const config = join(dir, 'nginx.conf');
  writeFileSync(config, configOf(dir, ports, upstreams));
  const child = spawn(program, ['-p', dir, '-c', config, '-e', join(dir, 'error.log')], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const [launcher, seoul, game] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string, string];
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  const answers = async () => (await fetch(game).catch(() => undefined))?.status === 404;
  await eventually(answers, (is) => is).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { launcher, seoul, game, stop };
};
