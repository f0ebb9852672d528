import { until } from '../support/eventually.ts';
import { check, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

let playground: Playground;

beforeEach(async () => {
  playground = await openPlayground(['cafe-checks.v1']);
});
afterEach(() => playground.close());

const numbered = (ip: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    check(ip, `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`),
  );

test('the events of one key are handled one after another, in the order in which they were published', async () => {
  const received: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  await playground.consumer('listener', {
    'cafe-check.requested': async ({ checkId }) => {
      mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
      await new Promise((resolve) => setImmediate(resolve));
      received.push(checkId);
      atOnce -= 1;
    },
  });
  const publisher = await playground.publisher();
  const published = numbered('203.0.113.10', 500);

  await Promise.all(published.map((each) => publisher.publish('cafe-check.requested', each)));

  await until(() => received.length >= published.length, 'all are received');
  expect(received).toEqual(published.map(({ checkId }) => checkId));
  expect(mostAtOnce).toBe(1);
});

test('a key whose handler is slow delays no other key, not even on its own partition', async () => {
  const received = new Set<string>();
  let release = (): void => undefined;
  const slow = new Promise<void>((resolve) => (release = resolve));
  await playground.consumer('listener', {
    'cafe-check.requested': async ({ ip }) => {
      if (ip === '203.0.113.1') await slow;
      received.add(ip);
    },
  });
  const publisher = await playground.publisher();
  const others = Array.from({ length: 30 }, (_, at) => `203.0.113.${at + 2}`);

  await publisher.publish('cafe-check.requested', check('203.0.113.1'));
  for (const ip of others) await publisher.publish('cafe-check.requested', check(ip));

  await until(() => received.size === others.length, 'the others are received');
  expect([...received].sort()).toEqual([...others].sort());
  release();
});

test('a consumer whose handlers are blocked stops fetching, and loses nothing when they continue', async () => {
  const publisher = await playground.publisher();
  const published = Array.from({ length: 12_000 }, (_, at) =>
    check(`10.0.${Math.floor(at / 250)}.${at % 250}`),
  );
  for (let at = 0; at < published.length; at += 1_000) {
    await Promise.all(
      published.slice(at, at + 1_000).map((each) => publisher.publish('cafe-check.requested', each)),
    );
  }
  const received = new Set<string>();
  const receivedByOthers = new Set<string>();
  let begun = 0;
  let release = (): void => undefined;
  const stuck = new Promise<void>((resolve) => (release = resolve));

  await playground.consumer('stuck', {
    'cafe-check.requested': async ({ checkId }) => {
      begun += 1;
      await stuck;
      received.add(checkId);
    },
  });
  await playground.consumer('others', {
    'cafe-check.requested': async ({ checkId }) => void receivedByOthers.add(checkId),
  });
  await until(() => receivedByOthers.size === published.length, 'the other group has received all');
  const begunWhileStuck = begun;
  release();

  await until(() => received.size === published.length, 'all are received');
  expect(begunWhileStuck).toBeGreaterThan(2_000);
  expect(begunWhileStuck).toBeLessThan(8_000);
});
