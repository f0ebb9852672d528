import { check, eventually, openPlayground } from './kafka-harness.ts';
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

test('the events of one key are handled one after another, in the order in which they were said', async () => {
  const heard: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  await playground.consumer('listener', {
    'cafe-check.requested': async ({ checkId }) => {
      mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
      await new Promise((resolve) => setImmediate(resolve));
      heard.push(checkId);
      atOnce -= 1;
    },
  });
  const publisher = await playground.publisher();
  const said = numbered('203.0.113.10', 500);

  await Promise.all(said.map((each) => publisher.publish('cafe-check.requested', each)));

  await eventually(() => heard.length >= said.length, 'all are heard');
  expect(heard).toEqual(said.map(({ checkId }) => checkId));
  expect(mostAtOnce).toBe(1);
});

test('a key whose handler is slow holds no other key, not even on its own partition', async () => {
  const heard = new Set<string>();
  let release = (): void => undefined;
  const slow = new Promise<void>((resolve) => (release = resolve));
  await playground.consumer('listener', {
    'cafe-check.requested': async ({ ip }) => {
      if (ip === '203.0.113.1') await slow;
      heard.add(ip);
    },
  });
  const publisher = await playground.publisher();
  const others = Array.from({ length: 30 }, (_, at) => `203.0.113.${at + 2}`);

  await publisher.publish('cafe-check.requested', check('203.0.113.1'));
  for (const ip of others) await publisher.publish('cafe-check.requested', check(ip));

  await eventually(() => heard.size === others.length, 'the others are heard');
  expect([...heard].sort()).toEqual([...others].sort());
  release();
});

test('behind a handler that does not get on, a consumer stops fetching, and loses nothing when it gets on again', async () => {
  const publisher = await playground.publisher();
  const said = Array.from({ length: 12_000 }, (_, at) => check(`10.0.${Math.floor(at / 250)}.${at % 250}`));
  for (let at = 0; at < said.length; at += 1_000) {
    await Promise.all(
      said.slice(at, at + 1_000).map((each) => publisher.publish('cafe-check.requested', each)),
    );
  }
  const heard = new Set<string>();
  const heardByOthers = new Set<string>();
  let begun = 0;
  let release = (): void => undefined;
  const stuck = new Promise<void>((resolve) => (release = resolve));

  await playground.consumer('stuck', {
    'cafe-check.requested': async ({ checkId }) => {
      begun += 1;
      await stuck;
      heard.add(checkId);
    },
  });
  await playground.consumer('others', {
    'cafe-check.requested': async ({ checkId }) => void heardByOthers.add(checkId),
  });
  await eventually(() => heardByOthers.size === said.length, 'the other group has heard all');
  const begunWhileStuck = begun;
  release();

  await eventually(() => heard.size === said.length, 'all are heard');
  expect(begunWhileStuck).toBeGreaterThan(2_000);
  expect(begunWhileStuck).toBeLessThan(8_000);
});
