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
      meaning:
        'A broker answers nothing, or one partition refuses what this service writes; the others go on without it. What is refused is tried again about once a second, until its publisher gives up (D-68).',
      impact: 'As for GsbPublishFailing, for the players of those partitions.',
      diagnosis: [
        look('game-session', 'gsb_kafka_publish_queue'),
        look('game-session', 'gsb_kafka_publish_batch'),
      ],
      mitigation: [
        'The service’s log says `a partition refused its records`, or `a batch was not sent` where the service may not even look at the topic, with the broker’s reason. `TOPIC_AUTHORIZATION_FAILED`: give the service’s user Write on the topic. `MESSAGE_TOO_LARGE`: let `max.message.bytes` of the topic be Kafka’s default of 1 MiB, or more. `NOT_ENOUGH_REPLICAS`: bring the other replicas back.',
        'Neither line, and no `kafkajs: Failed to send messages` with a reason: a broker is silent. As for GsbPublishFailing; one alone: take it out, so that its partitions get other leaders.',
      ],
    },
    proof: {
      firing: series('gsb_kafka_publish_queue_age_seconds', { service_name: 'game-session' }, '0x5 1+20x60'),
      resting: series('gsb_kafka_publish_queue_age_seconds', { service_name: 'game-session' }, '0.02x66'),
      afterMin: 15,
    },
  },
];
