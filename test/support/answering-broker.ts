import Broker from 'kafkajs/src/broker/index.js';
import type { ProduceRequest } from 'kafkajs/src/broker/index.js';
import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';

/** What a broker answers: a code for each partition that it was sent, or none. */
type Codes = readonly number[] | undefined;

/** As kafkajs hands an answer to a request to produce on. */
export const metadataOf = (data: unknown) =>
  (data as Awaited<ReturnType<typeof answer.parse>>).topics.flatMap(({ topicName, partitions }) =>
    partitions.map((each) => ({ topicName, ...each })),
  );

/** kafkajs' own broker, on a connection that gives these answers in turn; `sent` is the partition and the number of all that was sent. */
export const brokerWith = (...answers: (Codes | Promise<Codes>)[]) => {
  const sent: (readonly [partition: number, number: number])[] = [];
  let requests = 0;
  const broker: Broker = Object.create(Broker.prototype);
  const send = async (topicData: ProduceRequest['topicData']) => {
    const coming = answers[requests];
    requests += 1;
    for (const { partitions } of topicData)
      sent.push(...partitions.map(({ partition, firstSequence }) => [partition, firstSequence] as const));
    const codes = [...((await coming) ?? [])];
    if (codes.length === 0) throw new Error('the connection was lost');
    return answer.parse({
      topics: topicData.map(({ topic: topicName, partitions }) => ({
        topicName,
        partitions: partitions.map(({ partition }) => ({ partition, errorCode: codes.shift() ?? 0 })),
      })),
    });
  };
  const lookupRequest = () => (request: ProduceRequest) => request.topicData;
  Object.assign(broker, { lookupRequest, connectionPool: { send } });
  return {
    sent,
    /** As kafkajs asks it to write to partitions, from this sequence number on. */
    produce: (topic: string, partitions: readonly number[], firstSequence = 0) =>
      broker.produce({
        topicData: [{ topic, partitions: partitions.map((partition) => ({ partition, firstSequence })) }],
      }),
  };
};
