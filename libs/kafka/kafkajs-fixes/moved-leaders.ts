import { setTimeout as sleep } from 'node:timers/promises';
import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import { isBrokerAway, refusalOf } from './away.ts';

const pauseMs = 200;

const refusals: ReadonlySet<string | undefined> = new Set([
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
]);

const { recoverFromFetch } = ConsumerGroup.prototype;

/**
 * kafkajs 2.2.4 has the whole group join again when one partition has another leader, and stops fetching from all brokers when one cannot
 * be reached. Here the leaders are looked up again, and the fetches from the other brokers go on.
 */
ConsumerGroup.prototype.recoverFromFetch = async function (this: ConsumerGroup, error): Promise<void> {
  if (!isBrokerAway(error) && !refusals.has(refusalOf(error))) return recoverFromFetch.call(this, error);
  await sleep(pauseMs);
  await this.cluster.refreshMetadata();
};
