import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createLinks } from '../../deploy/local/faults/links.ts';
import type { Link } from '../../deploy/local/faults/link.ts';
import { eventually, until } from '../support/eventually.ts';

const processes: { name: string; pid: number }[] = [{ name: 'here', pid: process.pid }];
const links = createLinks(() => processes);
const served: Socket[] = [];
/** Says everything again, as a store that answers. */
const echo = createServer((socket) => {
  served.push(socket);
  socket.on('error', () => undefined).pipe(socket);
});
let link: Link;
beforeAll(async () => {
  await once(echo.listen(0, '127.0.0.1'), 'listening');
  link = await links.open('store', (echo.address() as AddressInfo).port);
});
afterEach(() => link.set({ mode: 'pass' }));
afterAll(async () => {
  await links.close();
  served.forEach((socket) => socket.destroy());
  echo.close();
});

/** A client of the store: what it has received, and how its connection ended. */
const dial = () => {
  const socket = connect(link.port, '127.0.0.1');
  const received = { text: '', end: '' };
  socket.on('data', (data) => (received.text += data.toString()));
  socket.on('end', () => (received.end ||= 'closed'));
  socket.on('error', (error: NodeJS.ErrnoException) => (received.end ||= error.code ?? ''));
  return { socket, received };
};
type Client = ReturnType<typeof dial>;
const client = async (): Promise<Client> => {
  const one = dial();
  await once(one.socket, 'connect');
  return one;
};

const answered = ({ socket, received }: Client, text: string) => {
  socket.write(text);
  return eventually(
    async () => received.text,
    (all) => all.endsWith(text),
    10_000,
  );
};
const ended = ({ received }: Client) =>
  eventually(
    async () => received.end,
    (how) => how !== '',
    2_000,
  );
/** A second client is answered, so whatever the first one would have received by now it has. */
const afterAnother = async () => {
  const other = await client();
  await answered(other, 'other');
  other.socket.destroy();
};

test('bytes pass in both directions, and so does an end', async () => {
  const one = await client();
  await answered(one, 'hello');

  one.socket.end();

  expect(await ended(one)).toBe('closed');
  expect(one.received.text).toBe('hello');
});

test('a delay holds every byte back, in order, and is over when it is taken away', async () => {
  const one = await client();
  link.set({ mode: 'delay', ms: 120 });
  const began = performance.now();

  await answered(one, 'slow');
  const tookMs = performance.now() - began;
  one.socket.write('er');
  link.set({ mode: 'pass' });
  await answered(one, ', then fast');

  expect(tookMs).toBeGreaterThan(230);
  expect(one.received.text).toBe('slower, then fast');
  one.socket.destroy();
});

test('what is held back for a connection that has gone is dropped, and keeps no process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;
  const one = await client();
  await answered(one, 'hello');
  const [before, longerThanAnyTestMs] = [timers(), 600_000];
  link.set({ mode: 'delay', ms: longerThanAnyTestMs });
  one.socket.write('never');
  await until(() => timers() > before, 'a piece to be held back');

  link.set({ mode: 'cut' });

  await ended(one);
  await until(() => timers() <= before, 'it to be dropped');
});

test('of what a lossy link carries one piece in two is late by a retransmission, in order', async () => {
  const one = await client();
  link.set({ mode: 'lose', percent: 50, ms: 2_000 });
  const began = performance.now();

  await answered(one, 'first');
  const firstMs = performance.now() - began;
  await answered(one, ', second');
  const bothMs = performance.now() - began;

  expect(firstMs).toBeLessThan(1_900);
  expect(bothMs).toBeGreaterThan(3_900);
  expect(one.received.text).toBe('first, second');
  one.socket.destroy();
});

test('a link that lingers carries bytes at once and ends late', async () => {
  const one = await client();
  await answered(one, 'hello');
  link.set({ mode: 'linger', ms: 150 });
  const began = performance.now();

  await answered(one, ' again');
  one.socket.end();
  expect(await ended(one)).toBe('closed');

  expect(performance.now() - began).toBeGreaterThan(290);
});

test('a cut link resets who is connected and who connects', async () => {
  const before = await client();
  await answered(before, 'x');

  link.set({ mode: 'cut' });
  const after = dial();

  expect([await ended(before), await ended(after)]).toEqual(['ECONNRESET', 'ECONNRESET']);
});

test('a black hole accepts and swallows, for who is connected and who connects, until the link passes again', async () => {
  const before = await client();
  await answered(before, 'x');
  link.set({ mode: 'blackhole' });
  const after = await client();
  before.socket.write('lost');
  after.socket.write('lost');
  served.at(-1)?.end();

  await eventually(
    async () => before.socket.bytesWritten + after.socket.bytesWritten,
    (sent) => sent === 9,
  );
  expect([before.received, after.received]).toEqual([
    { text: 'x', end: '' },
    { text: '', end: '' },
  ]);

  link.set({ mode: 'pass' });
  expect([await ended(before), await ended(after)]).toEqual(['ECONNRESET', 'ECONNRESET']);
  await afterAnother();
});

test('of a half-open connection only the server sees that it is gone; a new one passes', async () => {
  const one = await client();
  await answered(one, 'x');
  const server = served.at(-1)!;

  link.halfOpen();
  await eventually(async () => server.destroyed, Boolean);
  one.socket.write('is anybody there?');
  await afterAnother();

  expect(one.received).toEqual({ text: 'x', end: '' });
  one.socket.destroy();
});

test('a fault may be for one process alone', async () => {
  const dialer = `require('net').connect(${link.port}, '127.0.0.1', function () { this.write('x'); }).on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code));`;
  const child = spawn(process.execPath, ['-e', dialer]);
  processes.push({ name: 'there', pid: child.pid! });
  let printed = '';
  child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
  await eventually(
    async () => printed,
    (text) => text === 'x\n',
  );
  const here = await client();

  link.set({ mode: 'cut' }, 'there');

  await eventually(
    async () => printed,
    (text) => text === 'x\nECONNRESET\n',
  );
  await answered(here, 'still here');
  here.socket.destroy();
});

test('a link that leads elsewhere resets what was connected', async () => {
  const one = await client();
  await answered(one, 'x');
  const elsewhere = createServer((socket) => socket.on('error', () => undefined).end('elsewhere'));
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening');

  link.leadTo((elsewhere.address() as AddressInfo).port);
  const next = await client();

  expect(await ended(one)).toBe('ECONNRESET');
  await ended(next);
  expect(next.received.text).toBe('elsewhere');
  link.leadTo((echo.address() as AddressInfo).port);
  elsewhere.close();
});

test('a store that is not there resets who connects', async () => {
  const nothing = await links.open('nothing', await freeClosedPort());
  const socket = connect(nothing.port, '127.0.0.1');

  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];

  expect(error.code).toBe('ECONNRESET');
});

const freeClosedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
