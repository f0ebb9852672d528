import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { countResponses } from '#libs/http/count-responses.ts';
import { createShedding } from '#libs/http/shedding.ts';
import { send, written } from '#libs/http/written-response.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';

const longest = 131_072;
const batch = endpoint({
  ...{ name: 'batch', method: 'POST', path: '/batch', summary: 'A batch.', auth: 'api-key' },
  ...{ data: z.object({}), errors: [], maxBodyBytes: longest, shed: 'first' },
});
const unauthorized = written({ status: 401, headers: {}, body: {} });

/** The head of a batch that counts for nearly as many as may be in hand, over a connection that is closed after it. */
const headOfBatch = () => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: batch.method, url: batch.path });
  request.headers = { 'content-length': String(longest) };
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  return { request, response };
};

const newShedding = () => {
  const metrics = createMetrics('ott');
  const newRequestId = () => 'req_1';
  const counted = { metrics, responses: countResponses(metrics, [batch]) };
  return createShedding({ endpoints: [batch], newRequestId, ...counted, maxConnections: 10 });
};

test('a request that was refused before its body came is not in hand when that has come after all (D-46)', async () => {
  const shedding = newShedding();

  const isTaken: boolean[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { request, response } = headOfBatch();
    isTaken.push(shedding.takes(request, response));
    send(response, unauthorized);
    request.push(null);
    await once(request, 'end');
  }

  expect(isTaken).toEqual([true, true, true]);
});

test('those who are refused in one turn of the event loop hear so together, when all who came in it are looked at (D-46)', async () => {
  const shedding = newShedding();
  const refused = [headOfBatch(), headOfBatch()].map(({ request, response }) => {
    request.complete = true;
    expect(shedding.takes(request, response, false)).toBe(false);
    return response;
  });
  const areSent = () => refused.map(({ headersSent, statusCode }) => headersSent && statusCode);

  expect(areSent()).toEqual([false, false]);
  await setImmediate();
  expect(areSent()).toEqual([503, 503]);
});
