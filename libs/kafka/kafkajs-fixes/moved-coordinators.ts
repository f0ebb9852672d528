import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import { isBrokerAway, refusalOf } from './away.ts';

const refusals: ReadonlySet<string | undefined> = new Set([
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
]);

/** Groups that look for their coordinator now. */
const searching = new WeakSet<ConsumerGroup>();

/** Looks once; what is not found is looked for at the next heartbeat. */
const findCoordinator = async (group: ConsumerGroup): Promise<void> => {
  if (searching.has(group)) return;
  searching.add(group);
  try {
    group.coordinator = await group.cluster.findGroupCoordinator({ groupId: group.groupId });
  } catch {
    return;
  } finally {
    searching.delete(group);
  }
};

const { heartbeat, commitOffsets } = ConsumerGroup.prototype;

/**
 * kafkajs 2.2.4 sends its heartbeats for a minute to a coordinator that is dead, fetching nothing meanwhile, and has the whole group join
 * again when another broker coordinates it. Here a member looks for the coordinator and goes on: it is still a member there, or hears that
 * it is none and joins again.
 */
ConsumerGroup.prototype.heartbeat = async function (this: ConsumerGroup, settings): Promise<void> {
  if (searching.has(this)) return;
  try {
    await heartbeat.call(this, settings);
  } catch (error) {
    if (!(error instanceof Error) || !(isBrokerAway(error) || refusals.has(refusalOf(error)))) throw error;
    void findCoordinator(this);
  }
};

/** Commits go where the heartbeats go: kafkajs 2.2.4 remembers another coordinator for them, which it never replaces. */
ConsumerGroup.prototype.commitOffsets = function (this: ConsumerGroup, offsets): Promise<void> {
  if (this.offsetManager && this.coordinator) this.offsetManager.coordinator = this.coordinator;
  return commitOffsets.call(this, offsets);
};
