import { trace } from '@opentelemetry/api';
import { createEventHandler } from '#libs/kafka/consumer/event-handler.ts';
import type { Handlers } from '#libs/kafka/consumer/event-handler.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { eachOfBundle } from '#libs/kafka/consumer/each-of-bundle.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { recordSpans } from '../../../../support/recorded-spans.ts';

const exporter = recordSpans();

const traceOf = (digit: string) => digit.repeat(32);
const stopped = (gameSessionId: string, digit: string, flags: '00' | '01'): FetchedMessage => {
  const traceparent = `00-${traceOf(digit)}-${'b'.repeat(16)}-${flags}`;
  const value = Buffer.from(JSON.stringify({ game_session_id: gameSessionId, partner_play_duration_sec: 1 }));
  const headers = { ce_type: 'dev.gsb.billing.stopped', ce_id: gameSessionId, traceparent };
  const message = {
    key: Buffer.from(gameSessionId),
    value,
    headers,
    offset: '1',
    timestamp: '1',
    attributes: 0,
  };
  return { topic: 'billing.v1', partition: 0, message };
};

const handlerOf = (handlers: Handlers) =>
  createEventHandler({
    handlers,
    deadLetterQueue: async () => undefined,
    metrics: createMetrics('test'),
    log: createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined),
    stopping: new AbortController().signal,
  });

const ids = ['1', '2', '3', '4'].map((digit) => `gs_${digit.repeat(8)}-0000-4000-8000-000000000000`);
const bundle = [
  stopped(ids[0]!, '1', '00'),
  stopped(ids[1]!, '2', '01'),
  stopped(ids[2]!, '3', '00'),
  stopped(ids[3]!, '4', '01'),
];

const turn = { isCancelled: () => false, endTurn: () => undefined };

test('of a bundle whose handler keeps traces each event is handled in its own (D-22), with a span where that is kept', async () => {
  const seen: Record<string, string | undefined> = {};
  const note = eachOfBundle<'billing.stopped'>(async ({ gameSessionId }) => {
    seen[gameSessionId] = trace.getActiveSpan()?.spanContext().traceId;
  });

  expect(await handlerOf({ 'billing.stopped': note })(bundle, turn)).toBe(true);

  expect(ids.map((id) => seen[id])).toEqual(['1', '2', '3', '4'].map(traceOf));
  const spans = exporter.getFinishedSpans().map((span) => span.spanContext().traceId);
  expect(spans.sort()).toEqual([traceOf('2'), traceOf('4')]);
});

test('any other bundle is one span, with one link to each trace of its events', async () => {
  const together = async () => undefined;
  const twice = [...bundle, stopped(ids[0]!, '1', '00')];

  expect(await handlerOf({ 'billing.stopped': { together } })(twice, turn)).toBe(true);

  const spans = exporter.getFinishedSpans();
  expect(spans).toHaveLength(1);
  expect(spans[0]!.links.map((link) => link.context.traceId)).toEqual(['1', '2', '3', '4'].map(traceOf));
});
