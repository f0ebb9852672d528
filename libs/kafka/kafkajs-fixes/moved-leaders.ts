import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import { isAway } from './away.ts';

const pauseMs = 200;
/** Who has fetched nothing from any broker for so long begins anew. */
const patienceMs = 30_000;

const refusals: ReadonlySet<unknown> = new Set([
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
]);

/** Since when every fetch of a group has failed, in ms since the epoch. */
const failingSince = new WeakMap<ConsumerGroup, number>();
/** What became of the fetch that runs. */
const outcomes = new AsyncLocalStorage<{ failed: boolean }>();

const { fetch, recoverFromFetch } = ConsumerGroup.prototype;

/**
 * kafkajs 2.2.4 has the whole group join again when one partition has another leader, and stops fetching from all brokers when one cannot
 * be reached. Here the leaders are looked up again, and the fetches from the other brokers go on.
 */
ConsumerGroup.prototype.recoverFromFetch = async function (this: ConsumerGroup, error): Promise<void> {
  if (!isAway(error, refusals)) return recoverFromFetch.call(this, error);
  const since = failingSince.get(this) ?? Date.now();
  failingSince.set(this, since);
  const outcome = outcomes.getStore();
  if (outcome) outcome.failed = true;
  if (Date.now() - since > patienceMs) throw error;
  await sleep(pauseMs);
  await this.cluster.refreshMetadata();
};

ConsumerGroup.prototype.fetch = async function (this: ConsumerGroup, nodeId): Promise<readonly unknown[]> {
  const outcome = { failed: false };
  const batches = await outcomes.run(outcome, () => fetch.call(this, nodeId));
  if (!outcome.failed) failingSince.delete(this);
  return batches;
};
