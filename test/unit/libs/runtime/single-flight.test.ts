import { createSingleFlight } from '#libs/runtime/single-flight.ts';

test('callers who ask the same at the same time share one question and its answer', async () => {
  const share = createSingleFlight<number>();
  let questions = 0;
  const ask = async () => (questions += 1);
  expect(await Promise.all([share('a', ask), share('a', ask), share('b', ask)])).toEqual([1, 1, 2]);
  expect(await share('a', ask)).toBe(3);
});

test('an error is shared too, and not kept', async () => {
  const share = createSingleFlight<string>();
  const fail = () => Promise.reject(new Error('away'));
  const both = await Promise.allSettled([share('a', fail), share('a', fail)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await share('a', async () => 'back')).toBe('back');
});
