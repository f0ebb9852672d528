import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
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

test('a request that was refused before its body came is not in hand when that has come after all (D-46)', async () => {
  const metrics = createMetrics('ott');
  const newRequestId = () => 'req_1';
  const counted = { metrics, responses: countResponses(metrics, [batch]) };
  const shedding = createShedding({ endpoints: [batch], newRequestId, ...counted, maxConnections: 10 });

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
