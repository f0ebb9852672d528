import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';

const { parse } = answer;

/**
 * kafkajs 2.2.4 throws a broker's whole answer away when one of its partitions refuses, and sends again what the others have taken. Here the
 * answer says what became of each partition, unless none has taken anything: whoever sends to several looks at `errorCode`, which is 0 where
 * one has.
 */
answer.parse = async (data) => {
  const partitions = data.topics.flatMap((topic) => topic.partitions);
  return partitions.some(({ errorCode }) => errorCode === 0) ? data : parse(data);
};
