import type { Outgoing } from '#libs/contracts/delivery.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { encodeEvent } from '#libs/kafka/encode-event.ts';
import type { ProducerRecord } from '#libs/kafka/encode-event.ts';
import { createGather } from '#libs/kafka/producer/gathered-events.ts';

const heartbeat = 'game-session.heartbeat' as const;
const sealed = (key: string) => ({ data: { key, json: '{}' }, trace: { traceparent: `of ${key}` }, atMs: 0 });

/** What is appended of two events that are gathered for a partition that is not their keys'. */
const appended = async (name: EventName, partition: number | undefined, bundles = true) => {
  const records: ProducerRecord[] = [];
  const gather = createGather({
    encoderOf: (of) => (each: Outgoing<typeof of>) => ({
      topic: 't',
      ...encodeEvent(of, each, { source: '/gsb/test', nowMs: 1 }),
    }),
    append: async (_name, all) => void records.push(...all),
    bundles,
  });
  const gathered = gather(name, partition);
  gathered.add(sealed('a'));
  gathered.add(sealed('b'));
  await gathered.publish();
  return records;
};

test('events that are gathered for a partition are one record for it, each line with its time and its trace', async () => {
  const [record, ...others] = await appended(heartbeat, 7);

  expect(others).toEqual([]);
  expect(record).toMatchObject({ topic: 't', key: null, queuedIn: 7, events: 2 });
  const lines = JSON.parse(String(record?.value)) as { events: { headers: Record<string, string> }[] };
  expect(lines.events.map(({ headers }) => [headers['ce_time'], headers['traceparent']])).toEqual([
    ['1970-01-01T00:00:00.000Z', 'of a'],
    ['1970-01-01T00:00:00.000Z', 'of b'],
  ]);
});

test.each([
  ['of a partition that is not known', heartbeat, undefined, true],
  ['while readers know no bundles', heartbeat, 7, false],
  ['of a name that comes in none', 'dead-letter.recorded', 7, true],
] as const)('events %s are a record each', async (_which, name, partition, bundles) => {
  const records = await appended(name, partition, bundles);

  expect(records.map(({ key }) => key)).toEqual(['a', 'b']);
});
