import { context } from '@opentelemetry/api';
import { unavailable } from '#libs/contracts/errors.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { createDeadLetterQueue } from '#libs/kafka/consumer/dead-letter-queue.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { currentRequestId, withRequestId } from '#libs/runtime/request-context.ts';
import { recordSpans } from '../../../../support/recorded-spans.ts';

recordSpans();

type DeadLetter = EventData<'dead-letter.recorded'>;

const fetched = {
  topic: 'billing.v1',
  partition: 3,
  message: {
    ...{
      key: Buffer.from('a key'),
      value: Buffer.from('a value'),
      headers: { note: Buffer.from('a header') },
    },
    ...{ offset: '17', timestamp: '1', attributes: 0 },
  },
};

/** A queue whose first letter is refused, with what was tried and the request that each try was of. */
const refusedOnce = (refusal: Error) => {
  const tried: { letter: DeadLetter; requestId: string | undefined }[] = [];
  const queue = createDeadLetterQueue({
    group: 'ledger',
    deadLetters: {
      publish: async (_name, data) => {
        tried.push({ letter: data as DeadLetter, requestId: currentRequestId() });
        if (tried.length === 1) throw refusal;
      },
    },
    metrics: createMetrics('test'),
    log: createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined),
  });
  return { queue, tried };
};

test('a dead letter that is refused for good is published again with its place and its reason alone, and as no part of a request', async () => {
  const { queue, tried } = refusedOnce(new Error('800000 bytes are too many for one event'));

  await context.with(withRequestId('r'.repeat(800_000)), () => queue(fetched, new TypeError('a bug')));

  expect(tried.map(({ requestId }) => requestId?.length)).toEqual([800_000, undefined]);
  expect(tried.map(({ letter }) => letter.key)).toEqual(['a key', null]);
  expect(tried[1]?.letter).toEqual({
    ...{ topic: 'billing.v1', partition: 3, offset: '17', group: 'ledger' },
    ...{ key: null, valueBase64: '', headers: [] },
    reason: 'TypeError: a bug\nthis letter lacks its key, its value and its headers',
  });
});

test('a dead letter that the log does not take while it is away is tried again whole', async () => {
  const { queue, tried } = refusedOnce(unavailable());

  await expect(queue(fetched, new TypeError('a bug'))).rejects.toThrow();
  await queue(fetched, new TypeError('a bug'));

  expect(tried.map(({ letter }) => letter.key)).toEqual(['a key', 'a key']);
});
