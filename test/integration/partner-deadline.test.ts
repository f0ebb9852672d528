import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { usualInFlight } from '../../services/billing-adapter/adapters/circuit-breakers.ts';
import { partnerTransport } from '../../services/billing-adapter/adapters/partner-transport.ts';

/** What is heard of a call of a partner that answers so, and after how many ms. */
const heardOf = async (answer: (response: ServerResponse) => void) => {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const partner = partnerTransport({
    ...{ url: `http://127.0.0.1:${port}`, token: 'token', proxy: undefined, inFlight: usualInFlight },
    ...{ metrics: createMetrics('billing-adapter') },
    log: createLog({ service: 'test', instance: 'test', level: 'error' }),
  });
  const request = { operation: 'start', method: 'POST', path: '/v1/billings', body: {} } as const;
  const began = performance.now();
  const heard = await partner.call(request, ({ json }) => ({ outcome: 'answered', json }));
  const tookMs = performance.now() - began;
  server.closeAllConnections();
  server.close();
  await partner.close();
  return { heard, tookMs };
};

const inTwoSeconds = { least: 1_950, most: 4_900 };

test('a partner that says nothing has two seconds for the start of billing', async () => {
  const { heard, tookMs } = await heardOf(() => undefined);

  expect(heard).toMatchObject({ outcome: 'unknown', reason: 'no answer in time' });
  expect(tookMs).toBeGreaterThan(inTwoSeconds.least);
  expect(tookMs).toBeLessThan(inTwoSeconds.most);
});

test('neither has one that stalls in the middle of its answer more', async () => {
  const { heard, tookMs } = await heardOf((response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    response.write('{"half":');
  });

  expect(heard).toMatchObject({ outcome: 'unknown', reason: 'no answer in time' });
  expect(tookMs).toBeGreaterThan(inTwoSeconds.least);
  expect(tookMs).toBeLessThan(inTwoSeconds.most);
});

test('one that answers is heard at once', async () => {
  const { heard, tookMs } = await heardOf((response) => response.end('{"a":1}'));

  expect(heard).toEqual({ outcome: 'answered', json: { a: 1 } });
  expect(tookMs).toBeLessThan(inTwoSeconds.least);
});

test('one whose answer has no end is cut at a MiB', async () => {
  const { heard, tookMs } = await heardOf((response) => response.end(Buffer.alloc(1_048_577, ' ')));

  expect(heard).toMatchObject({ outcome: 'unknown', reason: 'the answer is too large' });
  expect(tookMs).toBeLessThan(inTwoSeconds.least);
});

test('one that hangs up in the middle of its answer is heard at once', async () => {
  const { heard, tookMs } = await heardOf((response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    response.write('{"half":', () => response.destroy());
  });

  expect(heard).toMatchObject({ outcome: 'unknown', reason: 'other side closed' });
  expect(tookMs).toBeLessThan(inTwoSeconds.least);
});
