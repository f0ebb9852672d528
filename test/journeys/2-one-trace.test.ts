import { Kafka as KafkaEvent } from 'cloudevents';
import type { CloudEvent } from 'cloudevents';
import { Kafka, logLevel } from 'kafkajs';
import { unbundled } from '#libs/kafka/bundle.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { eventually } from '../support/eventually.ts';
import { newPlayer, theStack } from '../support/suite-stack.ts';

interface Read {
  readonly topic: string;
  readonly headers: Record<string, string>;
  readonly value: string;
}

const topics = [
  'ott-presentations.v1',
  'ott-claims.v1',
  'billing.v1',
  'renewals.v1',
  'game-sessions.v1',
  'game-session-changes.v1',
  'heartbeats.v1',
];

/** What is found in the messages of the topics that concern a session's start: `take` says how a message is read. */
const readTopics = async (
  brokers: string[],
  take: (received: FetchedMessage) => readonly FetchedMessage[],
  enough: (read: Read[]) => boolean,
): Promise<Read[]> => {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `trace-${process.pid}-${performance.now()}` });
  const read: Read[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    eachMessage: async (received) => {
      for (const { topic, message } of take(received)) {
        const headers = Object.entries(message.headers ?? {}).map(
          ([name, value]) => [name, String(value)] as const,
        );
        read.push({ topic, headers: Object.fromEntries(headers), value: String(message.value) });
      }
    },
  });
  try {
    return await eventually(async () => read, enough, 15_000);
  } finally {
    await consumer.disconnect();
  }
};

describe('what one verify causes can be followed', () => {
  test('one trace id goes from the verify to what the ledger is written from (D-22)', async () => {
    const stack = await theStack();
    const player = await newPlayer(stack);
    await player.server.end(player.id);

    const onTheWay = ['ott.presented', 'ott.accepted', 'billing.started', 'game-session.started'];
    const types = [...onTheWay, 'game-session.ending', 'billing.stopped', 'game-session.ended'];
    const concerns = ({ value }: Read) => value.includes(player.id) || value.includes(player.user);
    const ofType = (read: Read[], type: string) =>
      read.find((each) => concerns(each) && each.headers['ce_type'] === `dev.gsb.${type}`);
    const read = await readTopics(stack.kafka.brokers, unbundled, (all) =>
      types.every((type) => ofType(all, type)),
    );

    const traces = types.map((type) => ofType(read, type)!.headers['traceparent']!.split('-')[1]);
    expect(new Set(traces).size).toBe(1);
    const [ending, stopped] = ['game-session.ending', 'billing.stopped'].map((type) => ofType(read, type)!);
    expect(ending!.headers['traceparent']!.split('-')[1]).toBe(
      stopped!.headers['traceparent']!.split('-')[1],
    );
  });

  test('every message on every topic is a CloudEvent', async () => {
    const stack = await theStack();
    const player = await newPlayer(stack);
    await player.server.heartbeat(player.id, player.user);

    const read = await readTopics(
      stack.kafka.brokers,
      (one) => [one],
      (all) => all.some(({ value }) => value.includes(player.id)),
    );

    // What another test has poisoned the topics with is marked.
    const ours = read.filter(({ headers }) => headers['marked'] === undefined);
    for (const { topic, headers, value } of ours) {
      const message = { body: value, value, headers };
      expect([topic, headers]).toEqual([topic, expect.objectContaining({ ce_id: expect.any(String) })]);
      const event = KafkaEvent.toEvent(message) as CloudEvent<unknown>;
      expect(event.validate()).toBe(true);
    }
  });
});
