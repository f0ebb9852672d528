import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';

/** What a proxy does with whoever asks for a tunnel: opens it, answers with a status, says nothing, or says nothing once it is open. */
export type Conduct = 'open' | 'silent' | 'open, then silent' | number;

const endOfHead = '\r\n\r\n';

/** The head of a request, and what came after it. */
const readHead = (socket: Socket, then: (head: string, rest: Buffer) => void): void => {
  let received = Buffer.alloc(0);
  const onData = (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    const at = received.indexOf(endOfHead);
    if (at < 0) return;
    socket.off('data', onData);
    then(received.toString('latin1', 0, at), received.subarray(at + endOfHead.length));
  };
  socket.on('data', onData);
};

const join = (socket: Socket, target: string, seen: (bytes: Buffer) => void): void => {
  const [host, port] = target.split(':');
  const server = connect(Number(port), host === 'partner.test' ? '127.0.0.1' : host);
  server.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('close', () => server.destroy());
  socket.on('data', seen);
  server.on('connect', () => {
    socket.write(`HTTP/1.1 200 Connection Established${endOfHead}`);
    socket.pipe(server).pipe(socket);
  });
};

/**
 * An HTTP proxy that knows CONNECT alone, on sockets. It finds partner.test on this machine. `login` is user:password; without one it asks nobody.
 * With a certificate it is spoken to by TLS, as localhost.
 */
export const startConnectProxy = async (login?: string, certificate?: { cert: string; key: string }) => {
  const world = { conduct: 'open' as Conduct };
  const [targets, passed, sockets] = [[] as string[], [] as Buffer[], new Set<Socket>()];
  const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  const answer = (socket: Socket, head: string): void => {
    const [line = '', ...headers] = head.split('\r\n');
    const [method, target = ''] = line.split(' ');
    const given = headers.find((header) => /^proxy-authorization:/i.test(header))?.replace(/^[^:]+: */, '');
    targets.push(`${method} ${target}`);
    const status = wanted !== undefined && given !== wanted ? 407 : world.conduct;
    if (status === 'silent') return;
    if (status === 'open, then silent') {
      socket.write(`HTTP/1.1 200 Connection Established${endOfHead}`);
      return;
    }
    if (typeof status === 'number')
      return void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 4${endOfHead}no!\n`);
    join(socket, target, (bytes) => passed.push(bytes));
  };
  const meet = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    readHead(socket, (head) => answer(socket, head));
  };
  const server = certificate === undefined ? createServer(meet) : createSecureServer(certificate, meet);
  const listen = (port: number) => once(server.listen(port, '127.0.0.1'), 'listening');
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  return {
    url: certificate === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    world,
    /** What it was asked for, such as CONNECT partner.test:443. */
    targets,
    /** What callers sent through it. */
    passed: () => Buffer.concat(passed).toString('latin1'),
    /** Ends what is open. */
    cut,
    stop,
    restart: () => listen(port),
  };
};
