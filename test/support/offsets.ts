import type { Admin } from 'kafkajs';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { eventually } from './eventually.ts';
import { withAdmin } from './with-admin.ts';

/** The broker of a stack; what kafkajs complains of goes nowhere. */
export const kafkaOf = (stack: StackFacts) => {
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  return connectKafka({ brokers: stack.kafka.brokers, clientId: 'test', log });
};

/** A group forgets what it has done: when it comes back it receives its topics from the beginning. Nobody may be in it. */
export const forget = async (stack: StackFacts, groupId: string): Promise<void> => {
  const known = await withAdmin(kafkaOf(stack), (admin) => admin.fetchOffsets({ groupId }));
  const beginnings = known.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition }) => ({ topic, partition, offset: '0' })),
  );
  const member = kafkaOf(stack).consumer(groupId);
  await member.connect();
  try {
    await member.subscribe({ topics: known.map(({ topic }) => topic) });
    const joined = new Promise((resolve) => member.on(member.events.GROUP_JOIN, resolve));
    await member.run({ autoCommit: false, eachMessage: async () => undefined });
    await joined;
    await member.commitOffsets(beginnings);
  } finally {
    await member.disconnect();
  }
};

const isDone = async (admin: Admin, groupId: string): Promise<boolean> => {
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId })) {
    const ends = await admin.fetchTopicOffsets(topic);
    const behind = partitions.some(({ partition, offset }) => {
      const end = ends.find((each) => each.partition === partition);
      return Number(offset) < Number(end?.high ?? 0) && Number(offset) >= 0;
    });
    if (behind) return false;
  }
  return true;
};

/** Resolves when a group has done everything that is on its topics. */
export const caughtUp = (stack: StackFacts, groupId: string): Promise<boolean> =>
  withAdmin(kafkaOf(stack), (admin) => eventually(() => isDone(admin, groupId), Boolean, 30_000));
