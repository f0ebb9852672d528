import { Worker } from 'node:worker_threads';
import { serveRoutes } from '../support/http-server.ts';

/** Opens connections from another thread, and tells how many of them are open. */
const crowd = `
  const { connect } = require('node:net');
  const { workerData } = require('node:worker_threads');
  const { port, count, open } = workerData;
  const sockets = Array.from({ length: count }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined).once('connect', () => {
      if (Atomics.add(open, 0, 1) + 1 === count) Atomics.notify(open, 1);
    }));
  Atomics.store(open, 2, sockets.length);
`;

test('as many as come back at once after an outage find the door open, while the process has no time to look (D-46)', async () => {
  const [count, server] = [1_500, await serveRoutes([], { maxConnections: 2_000 })];
  const open = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(crowd, { eval: true, workerData: { port: server.port, count, open } });

  // The kernel asks again after a second for a connection that found no place; until then this thread takes none.
  const cameMs = performance.now();
  while (Atomics.load(open, 2) === 0 && performance.now() - cameMs < 10_000) Atomics.wait(open, 1, 0, 5);
  Atomics.wait(open, 1, 0, 800);
  const opened = Atomics.load(open, 0);
  await worker.terminate();
  await server.stop();

  expect(opened).toBe(count);
}, 30_000);
