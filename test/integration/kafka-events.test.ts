import { trace } from '@opentelemetry/api';
import { Kafka as CloudEvents } from 'cloudevents';
import type { KafkaMessage } from 'cloudevents';
import type { EventMeta } from '#libs/contracts/delivery.ts';
import { ceType } from '#libs/contracts/events.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import { inSpan, startTracing } from '#libs/runtime/tracing.ts';
import type { Tracing } from '#libs/runtime/carry-traces.ts';
import { until } from '../support/eventually.ts';
import { check, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

let playground: Playground;
let tracing: Tracing;

beforeAll(async () => {
  tracing = await startTracing({ service: 'test', instance: 'test' });
  playground = await openPlayground(['cafe-checks.v1', 'cafe-verdicts.v1']);
});
afterAll(async () => {
  await playground.close();
  await tracing.shutdown();
});

test('an event arrives as it was published, with the trace and the request that it belongs to', async () => {
  const received: {
    data: unknown;
    meta: EventMeta;
    requestId: string | undefined;
    traceId: string | undefined;
  }[] = [];
  await playground.consumer('listener', {
    'cafe-check.requested': async (data, meta) => {
      received.push({
        data,
        meta,
        requestId: currentRequestId(),
        traceId: trace.getActiveSpan()?.spanContext().traceId,
      });
    },
  });
  const publisher = await playground.publisher();
  const request = { requestId: 'req_1', replyTo: 'gateway-1#7', deadlineMs: Date.now() + 5_000 };
  const published = check('203.0.113.10');

  const traceId = await inSpan('caller', {}, async (span) => {
    await publisher.publish('cafe-check.requested', published, { request });
    return span.spanContext().traceId;
  });

  await until(() => received.length === 1, 'the event is received');
  expect(received[0]).toMatchObject({
    data: published,
    requestId: 'req_1',
    traceId,
    meta: { offset: '0', request },
  });
});

test('what is on the log is a CloudEvent in the binary binding', async () => {
  const seen: unknown[] = [];
  const consumer = playground.kafka.consumer('raw');
  await consumer.connect();
  await consumer.subscribe({ topic: playground.kafka.onCluster('cafe-verdicts.v1'), fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const headers = Object.fromEntries(
        Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]),
      );
      const binary: KafkaMessage = {
        headers,
        key: String(message.key),
        value: String(message.value),
        body: String(message.value),
      };
      seen.push(CloudEvents.toEvent(binary));
    },
  });
  const publisher = await playground.publisher();

  await publisher.publish('cafe-check.answered', {
    ...check('203.0.113.11'),
    verdict: 'unknown',
    cafeId: null,
  });

  await until(() => seen.length === 1, 'the message is seen');
  await consumer.disconnect();
  expect(seen[0]).toMatchObject({
    specversion: '1.0',
    type: ceType('cafe-check.answered'),
    source: '/gsb/test',
    subject: '203.0.113.11',
  });
});

test('an event that is not as its contract says is refused before it reaches the log', async () => {
  const publisher = await playground.publisher();

  await expect(publisher.publish('cafe-check.requested', check('not an address'))).rejects.toThrow(/ip/);
});
