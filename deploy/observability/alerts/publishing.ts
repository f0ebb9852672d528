import { extreme, look, series } from './expressions.ts';
import type { Alert } from './types.ts';

/** What waits for the log. */
export const publishing: readonly Alert[] = [
  {
    name: 'GsbPublishQueueFull',
    severity: 'page',
    owner: 'platform',
    expr: `${extreme('max', 'gsb_kafka_publish_queue_messages', {}, 'service_name')} > 5000`,
    for: '1m',
    summary: 'Thousands of events of {{ $labels.service_name }} wait for Kafka.',
    board: 'gsb-kafka',
    runbook: {
      meaning: 'Half of the 10,000 places are taken; when all are, calls are refused at once.',
      impact: 'As for GsbPublishFailing.',
      diagnosis: [look('billing-adapter', 'gsb_kafka_publish_queue')],
      mitigation: ['As for GsbPublishFailing.'],
    },
    proof: {
      firing: series('gsb_kafka_publish_queue_messages', { service_name: 'billing-adapter' }, '0x5 8000x60'),
      resting: series('gsb_kafka_publish_queue_messages', { service_name: 'billing-adapter' }, '40x66'),
      afterMin: 10,
    },
  },
  {
    name: 'GsbPublishQueueOld',
    severity: 'page',
    owner: 'platform',
    expr: `${extreme('max', 'gsb_kafka_publish_queue_age_seconds', {}, 'service_name')} > 10`,
    for: '1m',
    summary: 'An event of {{ $labels.service_name }} has waited for Kafka for more than ten seconds.',
    board: 'gsb-kafka',
    runbook: {
      meaning: 'A broker takes nothing, or not what this service writes, and the others may.',
      impact: 'As for GsbPublishFailing, for the players whose partitions that broker leads.',
      diagnosis: [
        look('game-session', 'gsb_kafka_publish_queue'),
        look('game-session', 'gsb_kafka_publish_batch'),
      ],
      mitigation: [
        'As for GsbPublishFailing. One broker alone: take it out, so that its partitions get other leaders.',
      ],
    },
    proof: {
      firing: series('gsb_kafka_publish_queue_age_seconds', { service_name: 'game-session' }, '0x5 1+20x60'),
      resting: series('gsb_kafka_publish_queue_age_seconds', { service_name: 'game-session' }, '0.02x66'),
      afterMin: 15,
    },
  },
];
