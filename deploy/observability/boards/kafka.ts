import { above, number, timeline } from './panels.ts';
import { happening, inRange, of, perSecond, quantile, sinceThen, slowest } from './queries.ts';
import type { Board } from './types.ts';

/** Retries wait on purpose, so their age says nothing. */
const notWaiting = { topic: '!billing-retries.v1' } as const;

/** The log between the services. */
export const kafka: Board = {
  uid: 'gsb-kafka',
  title: 'gsb: Kafka',
  about:
    'Does the log carry the events? Age is what players feel, lag is only its cause. Good: events are handled within 250 ms, nothing is dead, and consumers fetched a second ago.',
  rows: [
    {
      title: 'Publishing',
      panels: [
        timeline(
          'p99 until the log has an event',
          { '{{service_name}}': quantile(0.99, 'gsb_kafka_publish_duration_seconds_bucket', 'service_name') },
          { good: 'Below 250 ms.', unit: 's', limits: above(0.5, 5) },
        ),
        timeline(
          'Events by topic',
          { '{{topic}}': perSecond('gsb_kafka_publish_duration_seconds_count', 'topic', { outcome: 'ok' }) },
          { good: 'Follows the players.' },
        ),
        timeline(
          'Not published',
          { '{{service_name}}': happening('gsb_kafka_failed_publishes_total', 'service_name') },
          { good: 'No line.' },
        ),
        timeline(
          'Events in one request, p50 and p99',
          {
            'p50 {{service_name}}': quantile(0.5, 'gsb_kafka_publish_batch_messages_bucket', 'service_name'),
            'p99 {{service_name}}': quantile(0.99, 'gsb_kafka_publish_batch_messages_bucket', 'service_name'),
          },
          { good: 'Grows with load: many events share a request. 2,000 is the most.', unit: 'short' },
        ),
        timeline(
          'Oldest that waits',
          { '{{service_name}}': `max by (service_name) (${of('gsb_kafka_publish_queue_age_seconds')})` },
          { good: 'Below 100 ms.', unit: 's', limits: above(10, 60) },
        ),
        timeline(
          'Waiting',
          { '{{service_name}}': `sum by (service_name) (${of('gsb_kafka_publish_queue_messages')})` },
          {
            good: 'Near 0; 10,000 is full.',
            unit: 'short',
            limits: above(1_000, 5_000),
          },
        ),
      ],
    },
    {
      title: 'Consuming',
      panels: [
        timeline(
          'p99 age when handled',
          {
            '{{service_name}}': quantile(
              0.99,
              'gsb_kafka_event_age_seconds_bucket',
              'service_name',
              notWaiting,
            ),
          },
          {
            good: 'Below 250 ms; below a second in settlement, which writes many at once.',
            unit: 's',
            limits: above(30, 120),
          },
        ),
        timeline(
          'Lag',
          { '{{group}}': `sum by (group) (${of('gsb_kafka_lag_messages')})` },
          {
            good: 'What came in the last second; of billing-adapter-retries what waits for the partner. Another that only climbs stands still.',
            unit: 'short',
          },
        ),
        timeline(
          'Oldest in hand',
          {
            '{{group}}': `max by (group) (${of('gsb_kafka_in_hand_age_seconds', { group: '!billing-adapter-retries' })})`,
          },
          {
            good: 'Near 0. One that climbs is stuck: its store takes nothing. Retries, which wait on purpose, are not shown.',
            unit: 's',
            limits: above(10, 60),
          },
        ),
        timeline(
          'In hand',
          { '{{group}}': `sum by (group) (${of('gsb_kafka_in_hand_messages')})` },
          {
            good: 'Some; billing-adapter-retries holds what waits for the partner.',
            unit: 'short',
          },
        ),
        timeline(
          'p99 of a handler, the five slowest',
          {
            '{{event}}': slowest(5, 'gsb_kafka_handle_duration_seconds_bucket', 'event', {
              event: '!billing-retry.scheduled',
            }),
          },
          { good: 'Milliseconds; those that call the partner take as long as it does.', unit: 's' },
        ),
        timeline(
          'Last fetch',
          { '{{group}}': sinceThen('gsb_kafka_last_fetch_timestamp_seconds', 'group') },
          { good: 'Below a second.', unit: 's', limits: above(10, 60) },
        ),
        timeline(
          'Rebalances',
          { '{{group}}': `sum by (group) (increase(${of('gsb_kafka_rebalances_total')}[$__rate_interval]))` },
          {
            good: '0 but for a start or a rollout, when each consumer has one or two.',
            unit: 'short',
          },
        ),
        number('Dead letters', inRange('gsb_kafka_dead_letters_total'), {
          good: '0: every event could be read and handled.',
          unit: 'short',
          limits: above(1, 10),
        }),
      ],
    },
  ],
};
