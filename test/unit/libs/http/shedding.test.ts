import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { createShedding } from '#libs/http/shedding.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';

const longest = 131_072;
const batch = endpoint({
  ...{ name: 'batch', method: 'POST', path: '/batch', summary: 'A batch.', auth: 'api-key' },
  ...{ data: z.object({}), errors: [], maxBodyBytes: longest, shed: 'first' },
});

const newShedding = () => {
  const [metrics, newRequestId] = [createMetrics('ott'), () => 'req_1'];
  return createShedding({ endpoints: [batch], newRequestId, metrics, maxConnections: 10 });
};
const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

test('a request is in hand from when its body has come until its response is over (D-46)', () => {
  const { takesInHand } = newShedding();
  const responses = [newResponse(), newResponse()];
  const areTaken = responses.map((response) => takesInHand(response, batch, longest));

  const isTooMany = !takesInHand(newResponse(), batch, longest);
  responses[0]?.emit('close');
  const isTakenAfter = takesInHand(newResponse(), batch, longest);

  expect([...areTaken, isTooMany, isTakenAfter]).toEqual([true, true, true, true]);
});

test('one whose response is over by then takes no place (D-46)', () => {
  const { takesInHand } = newShedding();
  const isTaken = Array.from({ length: 5 }, () => {
    const response = newResponse();
    response.destroy();
    return takesInHand(response, batch, longest);
  });

  expect(isTaken).toEqual(isTaken.map(() => true));
});
