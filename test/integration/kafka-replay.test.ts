import { randomUUID } from 'node:crypto';
import { tryDecodeEvent } from '#libs/kafka/decode-event.ts';
import { deleteRecordsBefore } from '#libs/kafka/admin/delete-records.ts';
import { readBehind, withRecentLog } from '#libs/kafka/replay/recent-log.ts';
import type { LoggedEvent } from '#libs/kafka/replay/recent-log.ts';
import { numberIn } from '#libs/kafka/fetched-message.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import type { LogReader } from '#libs/kafka/replay/log-reader.ts';
import type { OffsetRange } from '#libs/kafka/replay/offset-ranges.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import { events } from '#libs/contracts/events.ts';
import { eventually } from '../support/eventually.ts';
import { syntheticSession } from '../support/synthetic-session.ts';
import { check, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const topics = ['cafe-checks.v1'] as const;
const ofSessions = ['game-sessions.v1', 'game-session-changes.v1', 'heartbeats.v1'] as const;
const count = 50;
const ids = Array.from({ length: count }, () => randomUUID());
const [laterId, newerId] = [randomUUID(), randomUUID()];
const publishAll = (publisher: Publisher, checkIds: readonly string[]) =>
  Promise.all(
    checkIds.map((id, index) => publisher.publish('cafe-check.requested', check(`192.0.2.${index}`, id))),
  );

let playground: Playground;
let publisher: Publisher;

beforeAll(async () => {
  playground = await openPlayground([...topics, ...ofSessions]);
  publisher = await playground.publisher();
});
afterAll(() => playground.close());

const readIds = async (log: LogReader, ranges: readonly OffsetRange[]): Promise<string[]> => {
  const found: string[] = [];
  await log.read(ranges, (messages) => {
    for (const each of messages) {
      const event = tryDecodeEvent(each);
      if (event?.name === 'cafe-check.requested') found.push(event.data.checkId);
    }
  });
  return found.sort();
};

test('a topic without messages has empty ranges, which are read at once', async () => {
  const { kafka } = playground;

  const found = await withLogReader({ kafka, topics }, async (log) => [
    await readIds(log, await log.rangesSince(0)),
    await readIds(log, await log.newestRanges(1_000)),
  ]);

  expect(found).toEqual([[], []]);
});

test('ranges are read to the ends that they had when they were asked for, any number of times', async () => {
  const { kafka } = playground;
  await publishAll(publisher, ids);

  const found = await withLogReader({ kafka, topics }, async (log) => {
    const ranges = await log.rangesSince(0);
    await publishAll(publisher, [laterId]);
    return [await readIds(log, ranges), await readIds(log, ranges)];
  });

  expect(found).toEqual([[...ids].sort(), [...ids].sort()]);
});

test('the newest ranges begin a while before the newest message; a range since an instant says whether it is complete', async () => {
  const { kafka } = playground;
  const sinceMs = Date.now() + 60_000;

  const [newest, future] = await withLogReader({ kafka, topics }, async (log) => [
    await readIds(log, await log.newestRanges(60_000)),
    await log.rangesSince(sinceMs),
  ]);

  expect(newest).toEqual([...ids, laterId].sort());
  expect(future.map(({ from, to, isComplete }) => [from >= to, isComplete])).toEqual(
    future.map(() => [true, true]),
  );
});

type CafeCheck = LoggedEvent<'cafe-check.requested'>;
const names = ['cafe-check.requested'] as const;

/** The latest event of each key, of all partitions. */
const latest = async (): Promise<CafeCheck[]> => {
  const found: CafeCheck[] = [];
  await withRecentLog({ kafka: playground.kafka, names, windowMs: 60_000 }, async (log) => {
    await log.latest(log.parts, async (batch) => void found.push(...batch));
  });
  return found;
};

test('the latest event of each key is the last one', async () => {
  await publishAll(publisher, [newerId]);

  const found = await latest();

  expect(found).toHaveLength(count);
  expect(found.find(({ data }) => data.ip === '192.0.2.0')?.data.checkId).toBe(newerId);
});

test('what could not be stored of it is not passed over (D-24)', async () => {
  const log = { kafka: playground.kafka, names, windowMs: 60_000 };
  const fails = () => Promise.reject(new Error('the slots move'));

  const reading = withRecentLog(log, ({ parts, latest: read }) => read(parts, fails));

  await expect(reading).rejects.toThrow('the slots move');
});

test('a message of a producer whose clock is ten minutes ahead hides none of the others (D-33)', async () => {
  const { kafka } = playground;
  const producer = kafka.producer();
  await producer.connect();
  const ahead = String(Date.now() + 600_000);
  const message = { key: 'ahead', value: '{}', timestamp: ahead };
  await producer.send({ topic: kafka.onCluster('cafe-checks.v1'), messages: [message] });
  await producer.disconnect();

  expect(await latest()).toHaveLength(count);
});

test('events that cannot be decoded hide no older one of their key', async () => {
  const { kafka } = playground;
  const before = randomUUID();
  await publisher.publish('cafe-check.requested', check('192.0.2.200', before));
  const producer = kafka.producer();
  await producer.connect();
  const headers = { ce_type: 'dev.gsb.cafe-check.requested', 'content-type': 'application/json' };
  const poison = ['{"check_id":"of another version"}', '{"version":99,', 'nonsense'];
  const messages = poison.map((value) => ({ key: '192.0.2.200', value, headers }));
  await producer.send({ topic: kafka.onCluster('cafe-checks.v1'), messages });
  await producer.disconnect();

  const found = await latest();

  expect(found).toHaveLength(count + 1);
  expect(found.find(({ data }) => data.ip === '192.0.2.200')?.data.checkId).toBe(before);
});

test('what is written after the window was read is found behind its ends, once', async () => {
  const { kafka } = playground;
  const added = randomUUID();
  const found: CafeCheck[] = [];
  const keep = async (batch: readonly CafeCheck[]) => void found.push(...batch);
  const { ends } = await withRecentLog({ kafka, names, windowMs: 60_000 }, async (log) => log);
  await publishAll(publisher, [added]);

  const then = await readBehind({ kafka, names }, ends, keep);
  await readBehind({ kafka, names }, then, keep);

  expect(found.map(({ data }) => data.checkId)).toEqual([added]);
});

test.each([
  ['game-session.heartbeat', 'game-session.started'],
  ['game-session.started', 'game-session.heartbeat'],
] as const)(
  'a window of sessions begins before the newest event of all their topics: a %s that was before it is not in it (D-24, D-60)',
  async (earlier, later) => {
    const session = () => syntheticSession('cafe-1', Date.now());
    await publisher.publish(earlier, { session: session() });
    const writtenAtMs = Date.now();
    await eventually(
      async () => Date.now(),
      (nowMs) => nowMs > writtenAtMs + 10,
    );
    await publisher.publish(later, { session: session() });

    const found = await withLogReader({ kafka: playground.kafka, topics: ofSessions }, (log) =>
      log.newestRanges(1),
    );

    const held = found.filter(({ from, to }) => from < to);
    expect(held.map(({ topic, from, to }) => [topic, to - from])).toEqual([
      [playground.kafka.onCluster(events[later].topic), 1],
    ]);
  },
);

test('what the log has deleted meanwhile is passed over, and what is behind it found', async () => {
  const { kafka } = playground;
  const { ends } = await withRecentLog({ kafka, names, windowMs: 60_000 }, async (log) => log);
  await publishAll(publisher, ids);
  const grown = await readBehind({ kafka, names }, ends, async () => undefined);
  for (const [name, to] of grown) {
    const partition = Number(numberIn(name));
    await deleteRecordsBefore(kafka, { topic: 'cafe-checks.v1', partition, offset: BigInt(to) });
  }
  const added = randomUUID();
  await publishAll(publisher, [added]);

  const found: CafeCheck[] = [];
  await readBehind({ kafka, names }, ends, async (batch) => void found.push(...batch));

  expect(found.map(({ data }) => data.checkId)).toEqual([added]);
}, 30_000);

test('a window of more messages than are held at once gives each key once, the newest of it', async () => {
  const { kafka } = playground;
  const producer = kafka.producer();
  await producer.connect();
  const template = {
    headers: { ce_type: 'dev.gsb.cafe-check.requested', 'content-type': 'application/json' },
  };
  const rounds = Array.from({ length: 36 }, () => randomUUID());
  for (const check_id of rounds) {
    const messages = Array.from({ length: 1_000 }, (_, at) => {
      const ip = `198.18.${at >> 8}.${at & 255}`;
      return { ...template, key: ip, value: JSON.stringify({ check_id, ip }) };
    });
    await producer.send({ topic: kafka.onCluster('cafe-checks.v1'), messages });
  }
  await producer.disconnect();

  const found = (await latest()).filter(({ data }) => data.ip.startsWith('198.18.'));

  expect(found).toHaveLength(1_000);
  expect(new Set(found.map(({ data }) => data.checkId))).toEqual(new Set(rounds.slice(-1)));
}, 60_000);

test('an abort ends the reading, and so does an error in handling the messages', async () => {
  const { kafka } = playground;
  const failing = withLogReader({ kafka, topics }, async (log) =>
    log.read(await log.rangesSince(0), () => {
      throw new Error('full');
    }),
  );
  const aborting = new AbortController();
  const aborted = withLogReader({ kafka, topics, signal: aborting.signal }, async (log) =>
    log.read(await log.rangesSince(0), () => aborting.abort()),
  );

  await Promise.all([expect(failing).rejects.toThrow('full'), expect(aborted).rejects.toThrow('aborted')]);
});
