import { setImmediate as turn } from 'node:timers/promises';
import Runner from 'kafkajs/src/consumer/runner.js';
import '#libs/kafka/kafkajs-fixes/stopped-fetchers.ts';

const silent = { debug: () => undefined, info: () => undefined, namespace: () => silent };
/** More questions than anybody asks in a turn of the event loop: who asks on would never end it. */
const tooMany = 10_000;

/** The group of a consumer, whose fetches from the slow broker are answered when `answer` is called. */
const group = () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
  let asked = 0;
  const nodes = ['quick', 'slow'];
  return {
    answer: () => answer(undefined),
    addBroker: () => void nodes.push('new'),
    connect: async () => undefined,
    joinAndSync: async () => undefined,
    heartbeat: async () => undefined,
    leave: async () => undefined,
    getNodeIds: () => {
      asked += 1;
      if (asked > tooMany) throw new Error('there is no end to the fetches');
      return [...nodes];
    },
    fetch: async (node: string) => {
      await (node === 'slow' ? answered : turn());
      return [];
    },
  };
};

test('a consumer that is stopped while the cluster gets another broker fetches nothing any more', async () => {
  const crashes: unknown[] = [];
  const consumerGroup = group();
  const runner = new Runner({
    logger: silent,
    consumerGroup,
    instrumentationEmitter: { emit: () => undefined },
    concurrency: 1,
    onCrash: (error: unknown) => crashes.push(error),
    retry: { retries: 0 },
  });
  await runner.start();
  consumerGroup.addBroker();
  await turn();
  await turn();

  const stopped = runner.stop();
  consumerGroup.answer();
  await stopped;

  expect(crashes).toEqual([]);
});
