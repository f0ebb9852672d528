import type { ManyStack } from '../../../../deploy/local/many/many-stack.ts';
import { injectionsOfMany } from '../../../accuracy/many/inject.ts';
import { kindsOfMany } from '../../../accuracy/many/kinds.ts';
import { kindsOfOne } from '../../../accuracy/one/kinds.ts';
import { scheduleOf } from '../../../accuracy/schedule.ts';

const beside = new Set(['partner', 'balance', 'duplicate events']);

test.each([
  ['one', kindsOfOne],
  ['many', kindsOfMany],
] as const)('with the topology %s the same seed breaks the same things at the same times', (_, kinds) => {
  expect(scheduleOf(7, 10, kinds)).toEqual(scheduleOf(7, 10, kinds));
  expect(scheduleOf(8, 10, kinds)).not.toEqual(scheduleOf(7, 10, kinds));
});

test('every fault that a schedule of many names can be done', () => {
  const can = new Set(Object.keys(injectionsOfMany({} as ManyStack)));

  const names = [1, 2, 3, 4, 5].flatMap((seed) => scheduleOf(seed, 60, kindsOfMany).map(({ name }) => name));

  expect(new Set(names).size).toBeGreaterThan(40);
  expect(names.filter((name) => !can.has(name) && !beside.has(name))).toEqual([]);
});

test('in ten minutes brokers, leaders, Redis, Postgres, clocks and replicas of services are broken', () => {
  const names = scheduleOf(7, 10, kindsOfMany).map(({ name }) => name);

  for (const part of [/^kill kafka/, /^move leaders/, /Redis/, /^promote/, /^skew/, /^kill ott/, /^stop /])
    expect(names.filter((name) => part.test(name)).length).toBeGreaterThan(0);
});
