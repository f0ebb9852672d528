import { onceAMinute } from '#libs/runtime/once-a-minute.ts';
import { until } from '../../../support/eventually.ts';

test('the first is written at once, those that follow as one line with their number, and each kind by itself', async () => {
  const lines: [string, number][] = [];
  const note = onceAMinute<string>((what, count) => void lines.push([what, count]), 50);

  for (const what of ['a1', 'a2', 'a3']) note('a', what);
  note('b', 'b1');

  expect(lines).toEqual([
    ['a1', 1],
    ['b1', 1],
  ]);
  await until(() => lines.length === 3, 'the line of those that followed');
  expect(lines[2]).toEqual(['a3', 2]);
});

test('after a minute in which nothing came the next one is written at once again', async () => {
  const lines: [string, number][] = [];
  const note = onceAMinute<string>((what, count) => void lines.push([what, count]), 10);
  note('a', 'a1');

  const again = () => {
    note('a', 'again');
    return lines.some(([what, count]) => what === 'again' && count === 1);
  };
  const passed = performance.now() + 30;
  await until(() => performance.now() > passed && again(), 'a line of one');
});
