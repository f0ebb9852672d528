import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { Agent, fetch as fetchBy } from 'undici';
import type { buildConnector } from 'undici';

const keepAliveProbeMs = 60_000;
const fetchTimeoutMs = 10_000;

/** An HTTP proxy that opens tunnels (CONNECT, RFC 9110 9.3.6), and who we are there; without a login it asks nobody. */
export interface HttpProxy {
  readonly url: string;
  readonly login: { readonly username: string; readonly password: string } | undefined;
}

const credentials = ({ login }: HttpProxy): Record<string, string> =>
  login === undefined
    ? {}
    : {
        'Proxy-Authorization': `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`,
      };

const connectRequest = (proxy: HttpProxy, target: string) => {
  const { protocol, hostname: host, port } = new URL(proxy.url);
  const isSecure = protocol === 'https:';
  const hostname = host.replace(/^\[|\]$/g, '');
  return (isSecure ? secure : plain)({
    method: 'CONNECT',
    hostname,
    // Node would look for the name of the Host header in the proxy's certificate.
    servername: isIP(hostname) === 0 ? hostname : '',
    port: port === '' ? (isSecure ? 443 : 80) : port,
    path: target,
    headers: { Host: target, Connection: 'keep-alive', ...credentials(proxy) },
    agent: false,
  });
};

/** A socket through the proxy to `target`, host:port. Rejects within the time, and says that it was the proxy. */
const openTunnel = (proxy: HttpProxy, target: string, timeoutMs: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const request = connectRequest(proxy, target);
    const late = () => request.destroy(new Error(`it opened no tunnel within ${timeoutMs} ms`));
    const timer = setTimeout(late, timeoutMs);
    request.once('close', () => clearTimeout(timer));
    request.once('error', (error) =>
      reject(new Error(`the proxy cannot be had: ${error.message}`, { cause: error })),
    );
    request.once('connect', ({ statusCode = 0 }, socket) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      const why = statusCode === 407 ? ', it does not take our user and password' : '';
      reject(new Error(`the proxy refused the tunnel: status ${statusCode}${why}`));
    });
    request.end();
  });

/** TLS with the server at the other end of a tunnel, which is checked as without one: the proxy sees the handshake alone. */
const secured = (
  tunnel: Socket,
  host: string,
  { timeoutMs, leftMs }: { timeoutMs: number; leftMs: number },
): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ socket: tunnel, host, ...name, ALPNProtocols: ['http/1.1'] });
    const late = () => socket.destroy(new Error(`no TLS through the proxy within ${timeoutMs} ms`));
    const timer = setTimeout(late, leftMs);
    socket.once('close', () => clearTimeout(timer)).on('error', reject);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });

/**
 * Connections of undici through a proxy: a tunnel to each server, and TLS inside it where the server has it. All of that has
 * `timeoutMs` together, less than a call has, so that one that fails because of the proxy says so. undici's own ProxyAgent lets a proxy that accepts and says
 * nothing hold it for minutes, and does not say whether it is the proxy that failed or the server.
 */
export const tunnelThrough =
  (proxy: HttpProxy, timeoutMs: number): buildConnector.connector =>
  ({ hostname, host = hostname, port, protocol }, callback) => {
    const isSecure = protocol === 'https:';
    const target = port === '' ? `${host}:${isSecure ? 443 : 80}` : host;
    const open = async (): Promise<Socket> => {
      const startedAt = performance.now();
      const tunnel = await openTunnel(proxy, target, timeoutMs);
      tunnel.setNoDelay(true).setKeepAlive(true, keepAliveProbeMs);
      const leftMs = timeoutMs - (performance.now() - startedAt);
      return isSecure ? secured(tunnel, hostname, { timeoutMs, leftMs }) : tunnel;
    };
    open().then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error as Error, null),
    );
  };

/** fetch through a proxy. */
export const fetchThrough = (proxy: HttpProxy): typeof fetch => {
  const dispatcher = new Agent({ connect: tunnelThrough(proxy, fetchTimeoutMs) });
  return ((url: string, init: object) => fetchBy(url, { ...init, dispatcher })) as unknown as typeof fetch;
};
