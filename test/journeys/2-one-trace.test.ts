import { Kafka as KafkaEvent } from 'cloudevents';
import type { CloudEvent } from 'cloudevents';
import { Kafka, logLevel } from 'kafkajs';
import { ceType, events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { unbundled } from '#libs/kafka/bundle.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { eventually } from '../support/eventually.ts';
import { newPlayer, theStack } from '../support/suite-stack.ts';

interface Read {
  readonly topic: string;
  readonly headers: Record<string, string>;
  readonly value: string;
}

/** All that have events of players. */
const topics = [
  ...['launcher-sessions.v1', 'cafe-checks.v1', 'cafe-verdicts.v1'],
  ...['ott-requests.v1', 'ott-issuances.v1', 'ott-presentations.v1', 'ott-claims.v1', 'ott-ends.v1'],
  ...['billing.v1', 'game-sessions.v1', 'game-session-changes.v1', 'heartbeats.v1', 'renewals.v1'],
  ...['billing-retries.v1', 'ott-refusals.v1'],
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

  /** What another test has poisoned the topics with is marked. */
  const isOurs = ({ headers }: Read): boolean => headers['marked'] === undefined;

  test('every message on every topic is a CloudEvent', async () => {
    const stack = await theStack();
    const player = await newPlayer(stack);
    await player.server.heartbeat(player.id, player.user);

    const read = await readTopics(
      stack.kafka.brokers,
      (one) => [one],
      (all) => all.some(({ value }) => value.includes(player.id)),
    );

    const ours = read.filter(isOurs);
    for (const { topic, headers, value } of ours) {
      const message = { body: value, value, headers };
      expect([topic, headers]).toEqual([topic, expect.objectContaining({ ce_id: expect.any(String) })]);
      const event = KafkaEvent.toEvent(message) as CloudEvent<unknown>;
      expect(event.validate()).toBe(true);
    }
  });

  test('every event is what its contract says, and has nothing more: who publishes it does not parse it (D-65)', async () => {
    const stack = await theStack();
    const player = await newPlayer(stack);
    await player.server.heartbeat(player.id, player.user);
    await player.server.end(player.id);
    const isLast = ({ headers, value }: Read): boolean =>
      headers['ce_type'] === 'dev.gsb.game-session.ended' && value.includes(player.id);

    const read = await readTopics(stack.kafka.brokers, unbundled, (all) => all.some(isLast));

    const names = new Map(Object.keys(events).map((name) => [ceType(name as EventName), name as EventName]));
    const ours = read.filter(isOurs).map(({ headers, value }) => {
      const name = names.get(headers['ce_type'] ?? '')!;
      const data = JSON.parse(value) as Readonly<Record<string, object>>;
      return { name, data, parsed: events[name].data.parse(data) };
    });
    for (const { name, data, parsed } of ours) expect([name, data]).toEqual([name, parsed]);
    // A rebuild looks for it there first.
    const records = ours.flatMap(({ data }) => data['ott'] ?? data['session'] ?? []);
    expect(new Set(records.map((record) => Object.keys(record)[0]))).toEqual(new Set(['version']));
    expect(ours.length).toBeGreaterThan(10);
  });
});
