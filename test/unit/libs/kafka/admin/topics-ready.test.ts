import type { Admin } from 'kafkajs';
import { lackingPartitions, topicsReady } from '#libs/kafka/admin/topics-ready.ts';

const wanted = [{ topic: 'a', partitions: 3 }];
const notHosted = new Error('This server does not host this topic-partition');

/** A broker that applies a change late: it gives these answers one after another, and the last one from then on. */
const lateBroker = (known: readonly (number | Error)[], leaders: readonly (Error | undefined)[]) => {
  const next = <T>(answers: readonly T[]) => {
    let asked = 0;
    return async () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    };
  };
  const [partitions, offsets] = [next(known), next(leaders)];
  return {
    fetchTopicMetadata: async () => ({
      topics: [{ name: 'a', partitions: Array.from({ length: (await partitions()) as number }) }],
    }),
    fetchTopicOffsets: async () => (await offsets()) ?? [],
  } as unknown as Admin;
};

test('a topic is ready only when the broker knows all its partitions and their leaders answer', async () => {
  const broker = lateBroker([notHosted, 0, 2, 3], [notHosted, undefined]);

  await topicsReady(broker, wanted);

  await expect(lackingPartitions(broker, wanted)).resolves.toEqual([]);
});

test('a topic that no leader answers for is an error, with what the broker said', async () => {
  const broker = lateBroker([3], [notHosted]);

  await expect(topicsReady(broker, wanted, 100)).rejects.toMatchObject({ cause: notHosted });
});

test('a topic with more partitions than wanted lacks none', async () => {
  await expect(lackingPartitions(lateBroker([4], [undefined]), wanted)).resolves.toEqual([]);
});
