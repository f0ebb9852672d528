import { Worker } from 'node:worker_threads';
import { serveRoutes } from '../support/http-server.ts';

/** Opens connections from another thread, and counts those that are open. */
const crowd = `
  const { connect } = require('node:net');
  const { workerData } = require('node:worker_threads');
  const { port, count, open } = workerData;
  for (let at = 0; at < count; at += 1)
    connect(port, '127.0.0.1').on('error', () => undefined).once('connect', () => Atomics.add(open, 0, 1));
`;

test('as many as come back at once after an outage find the door open, while the process has no time to look (D-46)', async () => {
  const [count, server] = [1_500, await serveRoutes([], { maxConnections: 2_000 })];
  const open = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(crowd, { eval: true, workerData: { port: server.port, count, open } });

  // The kernel asks again and again for a connection that found no place, and none comes free while this thread takes none.
  const cameMs = performance.now();
  while (Atomics.load(open, 0) < count && performance.now() - cameMs < 10_000) Atomics.wait(open, 1, 0, 5);
  const opened = Atomics.load(open, 0);
  await worker.terminate();
  await server.stop();

  expect(opened).toBe(count);
}, 30_000);
