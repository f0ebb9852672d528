import { createLog } from '#libs/runtime/log.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import { busyFor } from '../../../support/busy-for.ts';
import { eventually } from '../../../support/eventually.ts';

const log = createLog({ service: 'test', instance: 'test', level: 'error' });

test('the tasks of a process that have nothing to do run at the same moments, whenever they began, about twice a second', async () => {
  const runs: [number[], number[]] = [[], []];
  const runAt = (at: number[]) => async () => {
    at.push(performance.now());
    return 0;
  };
  const tasks = runs.map((at) => createPeriodicTask({ name: 'idle', log, run: runAt(at) }));
  await tasks[0]!.start(() => undefined);
  await eventually(
    async () => runs[0].length,
    (count) => count === 1,
  );
  busyFor(130);
  await tasks[1]!.start(() => undefined);

  await eventually(
    async () => runs.map(({ length }) => length),
    ([one = 0, other = 0]) => one >= 4 && other >= 4,
  );
  await Promise.all(tasks.map((task) => task.stop()));

  // The first run of each is its start, and the second one may be in the same half a second or in the next.
  const [one, other] = [runs[0].slice(2), runs[1]];
  for (const at of one) expect(Math.min(...other.map((each) => Math.abs(each - at)))).toBeLessThan(60);
  expect(one[1]! - one[0]!).toBeGreaterThan(250);
});
