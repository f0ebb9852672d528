import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import '#libs/kafka/kafkajs-fixes/moved-coordinators.ts';

const named = (name: string) => Object.assign(new Error(name), { name });
const found = {};

/** A member with the assignment of a generation, whose coordinator is dead since some time, and whose cluster finds another one. */
const member = ({ assigned = 1, deadForMs = 0 }) => {
  const dead = {
    heartbeat: async () => {
      throw named('KafkaJSConnectionError');
    },
  };
  const group = new ConsumerGroup({
    groupId: 'ott',
    topics: [],
    cluster: { findGroupCoordinator: async () => found },
    logger: { namespace: () => ({}) },
    instrumentationEmitter: { emit: () => undefined },
  });
  return Object.assign(group, {
    ...{ memberId: 'member', generationId: 1, lastRequest: Date.now() - deadForMs, coordinator: dead },
    offsetManager: { coordinator: dead, generationId: assigned },
  });
};
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a member whose coordinator is dead finds another one, for its heartbeats and its offsets', async () => {
  const group = member({});

  await group.heartbeat({ interval: 0 });
  await turn();

  expect(group.coordinator).toBe(found);
  expect(group.offsetManager.coordinator).toBe(found);
});

test('a member that has not been answered for half a minute does not go on as one', async () => {
  const group = member({ deadForMs: 31_000 });

  await expect(group.heartbeat({ interval: 0 })).rejects.toThrow('KafkaJSConnectionError');
});

test('a member of a new generation that has the assignment of the old one joins again', async () => {
  const group = member({ assigned: 0 });

  await expect(group.heartbeat({ interval: 0 })).rejects.toMatchObject({ type: 'REBALANCE_IN_PROGRESS' });
});

test('a member whose clock was set back says at once that it lives, and not when the clock has caught up', async () => {
  const group = member({ deadForMs: -120_000 });
  let beats = 0;
  const coordinator = { heartbeat: async () => void (beats += 1) };
  Object.assign(group, { coordinator });

  await group.heartbeat({ interval: 3_000 });
  await group.heartbeat({ interval: 3_000 });

  expect(beats).toBe(1);
});
