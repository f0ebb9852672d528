import { createOffsetCommits } from '#libs/kafka/consumer/offset-commits.ts';
import { createWatermarks } from '#libs/kafka/consumer/watermarks.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { createLog } from '#libs/runtime/log.ts';

const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
const notCoordinator = Object.assign(new Error('not the coordinator'), { type: 'NOT_COORDINATOR_FOR_GROUP' });

/** Commits of one message, which fail as they are told to. */
const failingBy = (error: Error) => {
  const watermarks = createWatermarks();
  watermarks.skip({ topic: 't', partition: 0, message: { offset: '10' } } as unknown as FetchedMessage);
  const commits = createOffsetCommits(watermarks, log);
  let failure: Error | undefined = error;
  commits.commitBy(async () => {
    if (failure) throw failure;
  });
  const times = async (count: number) => {
    for (let at = 0; at < count; at += 1) await commits.commit();
  };
  return { commits, times, heal: () => (failure = undefined) };
};

test('commits that a broker keeps refusing make the group be joined again, each five of them once', async () => {
  const { commits, times } = failingBy(notCoordinator);

  await times(4);
  expect(commits.throwIfFrozen).not.toThrow();
  await times(1);
  expect(commits.throwIfFrozen).toThrow('joining the group again');
  expect(commits.throwIfFrozen).not.toThrow();
  await times(5);
  expect(commits.throwIfFrozen).toThrow();
});

test('a minute of refused commits ends liveness; one that succeeds brings it back', async () => {
  const { commits, times, heal } = failingBy(notCoordinator);

  await times(60);
  expect(commits.live()).toBe(false);

  heal();
  await times(1);
  expect(commits.live()).toBe(true);
});

test.each([
  ['no broker answers', new Error('Connection timeout')],
  [
    'the coordinator has too few replicas',
    Object.assign(new Error('not available'), { type: 'GROUP_COORDINATOR_NOT_AVAILABLE' }),
  ],
])('an outage of Kafka is no refusal: nobody rejoins, and nobody is restarted while %s', async (_, error) => {
  const { commits, times } = failingBy(error);

  await times(100);

  expect(commits.throwIfFrozen).not.toThrow();
  expect(commits.live()).toBe(true);
});
