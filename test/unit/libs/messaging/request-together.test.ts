import type { PublishAll } from '#libs/contracts/delivery.ts';
import { createRequestTogether } from '#libs/messaging/request-together.ts';

const name = 'game-session.heartbeat';
const renewal = { exhausted: false, nextHeartbeatIn: 120 };

/** Requests over a log on which the partition of keys that begin with `b` is led by a broker that does not answer. */
const world = () => {
  const published: string[][] = [];
  const publishAll: PublishAll = (_name, events) => {
    const keys = events.map(({ data }) => ('json' in data ? data.key : ''));
    published.push(keys);
    return keys.some((key) => key.startsWith('b')) ? new Promise(() => undefined) : Promise.resolve();
  };
  const expect = () => ({ replyTo: 'here#1', outcome: Promise.resolve(renewal) });
  const request = createRequestTogether({
    publishAll,
    partitionOf: (_name, key) => key.charCodeAt(0),
    replies: { expect, reply: () => undefined },
    clock: () => 0,
  });
  return { published, ask: (key: string) => request(name, { key, json: '{}' }, { waitMs: 1_000 }) };
};

test('requests of one turn of the event loop are published together, those of each partition', async () => {
  const { published, ask } = world();

  await Promise.all(['a1', 'c1', 'a2'].map(ask));
  await ask('a3');

  expect(published).toEqual([['a1', 'a2'], ['c1'], ['a3']]);
});

test('a broker that is away holds up the requests of its own partitions only', async () => {
  const { ask } = world();
  let held = true;
  void ask('b1').then(() => (held = false));

  expect(await ask('a1')).toEqual(renewal);
  expect(held).toBe(true);
});
