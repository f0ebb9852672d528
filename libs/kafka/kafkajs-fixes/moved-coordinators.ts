import { setTimeout as sleep } from 'node:timers/promises';
import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import { JoinAgain, isAway } from './away.ts';

/** A search that takes longer is left to itself: a heartbeat asks the coordinator that is known, or begins another one. */
const searchMs = 5_000;
/** Who has not been answered for so long has been no member for long, and does not go on as if he were. */
const patienceMs = 30_000;

const refusals: ReadonlySet<unknown> = new Set([
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
]);

/** Groups that look for their coordinator now. */
const searching = new WeakSet<ConsumerGroup>();

/** Offsets are read and committed where the heartbeats go: kafkajs 2.2.4 remembers another coordinator for them, which it never replaces. */
const align = ({ offsetManager, coordinator }: ConsumerGroup): void => {
  if (offsetManager && coordinator) offsetManager.coordinator = coordinator;
};

const search = async (group: ConsumerGroup): Promise<void> => {
  const found = await group.cluster.findGroupCoordinator({ groupId: group.groupId });
  group.coordinator = found;
  align(group);
};

/** Looks once; what is not found is looked for at the next heartbeat. */
const findCoordinator = async (group: ConsumerGroup): Promise<void> => {
  searching.add(group);
  try {
    await Promise.race([search(group), sleep(searchMs, undefined, { ref: false })]);
  } catch {
    return;
  } finally {
    searching.delete(group);
  }
};

const isAwayForNow = ({ lastRequest }: ConsumerGroup, error: Error): boolean =>
  isAway(error, refusals) && Date.now() - lastRequest < patienceMs;

const { heartbeat, fetch, commitOffsets } = ConsumerGroup.prototype;

/**
 * kafkajs 2.2.4 sends its heartbeats for a minute to a coordinator that is dead, fetching nothing meanwhile, and has the whole group join
 * again when another broker coordinates it. Here a member looks for the coordinator and goes on: it is still a member there, or hears that
 * it is none and joins again. And where joining the group was cut off before the assignment arrived, kafkajs goes on with the old one as a
 * member of the new generation; here it joins again.
 */
ConsumerGroup.prototype.heartbeat = async function (this: ConsumerGroup, settings): Promise<void> {
  if (this.offsetManager && this.offsetManager.generationId !== this.generationId)
    throw new JoinAgain('the group was joined, but its assignment did not arrive');
  if (searching.has(this)) return;
  // By a clock that was set back meanwhile the next heartbeat would be due only when it has caught up.
  if (this.lastRequest > Date.now()) this.lastRequest = Date.now() - settings.interval;
  try {
    await heartbeat.call(this, settings);
  } catch (error) {
    if (!(error instanceof Error) || !isAwayForNow(this, error)) throw error;
    void findCoordinator(this);
  }
};

ConsumerGroup.prototype.fetch = function (this: ConsumerGroup, nodeId): Promise<readonly unknown[]> {
  align(this);
  return fetch.call(this, nodeId);
};

ConsumerGroup.prototype.commitOffsets = function (this: ConsumerGroup, offsets): Promise<void> {
  align(this);
  return commitOffsets.call(this, offsets);
};
