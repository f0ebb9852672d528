import { connectKafka } from '#libs/kafka/connection.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { eventually } from './eventually.ts';

/** The broker of a stack; what kafkajs complains of goes nowhere. */
export const kafkaOf = (stack: StackFacts) => {
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  return connectKafka({ brokers: stack.kafka.brokers, clientId: 'test', log });
};

type Admin = ReturnType<ReturnType<typeof kafkaOf>['admin']>;

const withAdmin = async <T>(stack: StackFacts, use: (admin: Admin) => Promise<T>): Promise<T> => {
  const admin = kafkaOf(stack).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
};

/** A group forgets what it has done: when it comes back it hears its topics from the beginning. Nobody may be in it. */
export const forget = (stack: StackFacts, groupId: string): Promise<void> =>
  withAdmin(stack, async (admin) => {
    for (const { topic } of await admin.fetchOffsets({ groupId }))
      await admin.resetOffsets({ groupId, topic, earliest: true });
  });

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
  withAdmin(stack, (admin) => eventually(() => isDone(admin, groupId), Boolean, 30_000));
