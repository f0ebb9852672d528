import { trace } from '@opentelemetry/api';
import { requestContext, inRequestContext } from '#libs/runtime/request-context.ts';
import { extractTrace, inSpan, injectTrace, startTracing } from '#libs/runtime/tracing.ts';
import type { Tracing } from '#libs/runtime/tracing.ts';

let tracing: Tracing;

beforeAll(async () => {
  tracing = await startTracing({ service: 'test', instance: 'test' });
});
afterAll(() => tracing.shutdown());

const callerTrace = '0af7651916cd43dd8448eb211c80319c';
const callerHeaders = { traceparent: `00-${callerTrace}-b7ad6b7169203331-01` };

test('work done for a caller goes on under the trace of the caller', async () => {
  const headers = await inSpan('answer', { parent: extractTrace(callerHeaders) }, async () => injectTrace());

  expect(headers['traceparent']).toMatch(new RegExp(`^00-${callerTrace}-[0-9a-f]{16}-0[01]$`));
});

test.each([
  ['nothing', {}],
  ['nonsense', { traceparent: 'nonsense' }],
])('a caller who sends %s gets a trace of its own', async (_, sent) => {
  const traceId = await inSpan(
    'answer',
    { parent: extractTrace(sent) },
    async (span) => span.spanContext().traceId,
  );

  expect(traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
});

test('a failure goes on to the caller', async () => {
  await expect(inSpan('work', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('a conversation holds through everything that is awaited, and ends with it', async () => {
  const talk = { requestId: 'req_1', replyTo: 'gateway#1' };

  const within = await inRequestContext(talk, () =>
    inSpan('work', {}, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return [requestContext(), trace.getActiveSpan() !== undefined];
    }),
  );

  expect(within).toEqual([talk, true]);
  expect(requestContext()).toBeUndefined();
});
