import { context, trace } from '@opentelemetry/api';
import { currentRequestId, withRequestId } from '#libs/runtime/request-context.ts';
import { extractTrace, inSpan, injectTrace, startTracing } from '#libs/runtime/tracing.ts';
import type { Tracing } from '#libs/runtime/carry-traces.ts';

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

test('a request id holds through everything that is awaited, and ends with it', async () => {
  const within = await context.with(withRequestId('req_1'), () =>
    inSpan('work', {}, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return [currentRequestId(), trace.getActiveSpan() !== undefined];
    }),
  );

  expect(within).toEqual(['req_1', true]);
  expect(currentRequestId()).toBeUndefined();
});
