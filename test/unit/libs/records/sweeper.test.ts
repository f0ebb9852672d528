import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import type { Handled } from '#libs/records/sweeper.ts';
import { eventually } from '../../../support/eventually.ts';

const perSweep = 300;

/** A sweeper of records of which three hundred more are due each time it looks, and whose other replicas handle nothing. */
const sweeping = (handleTogether: (ids: readonly string[]) => Promise<Handled>, stillDue = true) => {
  const told = { warnings: [] as unknown[], sweeps: 0, postponed: [] as string[], alone: [] as string[] };
  const sweeper = createSweeper({
    records: {
      due: async () => {
        const first = perSweep * (told.sweeps += 1);
        return Array.from({ length: perSweep }, (_, at) => `record-${first + at}`);
      },
      postpone: async (id: string) => {
        told.postponed.push(id);
        return stillDue ? 'postponed' : 'handled';
      },
    },
    handleTogether,
    handle: async (id: string) => {
      told.alone.push(id);
      throw new Refusal('BAD_REQUEST');
    },
    log: { info: () => undefined, warn: ({ error }: { error: unknown }) => told.warnings.push(error) },
    metrics: {
      counter: () => ({ inc: () => undefined }),
      gauge: () => ({ setToCurrentTime: () => undefined }),
    },
  } as never);
  return { sweeper, told };
};
const atLeast = (count: number, of: () => number) =>
  eventually(
    async () => of(),
    (seen) => seen >= count,
    10_000,
  );

test('while batches wait for the log the next ones are handled, until two thousand records are in hand; what is due is asked all the same, and a stop waits for all', async () => {
  const batches: PromiseWithResolvers<undefined>[] = [];
  const { sweeper, told } = sweeping(async () => {
    const batch = Promise.withResolvers<undefined>();
    batches.push(batch);
    return { left: [], published: batch.promise.then(() => undefined) };
  });

  await sweeper.start(() => undefined);
  await atLeast(Math.ceil(2_000 / perSweep) + 2, () => told.sweeps);
  expect(batches).toHaveLength(Math.ceil(2_000 / perSweep));

  let isStopped = false;
  const stopped = sweeper.stop().then(() => (isStopped = true));
  for (const batch of batches) {
    expect(isStopped).toBe(false);
    await new Promise(setImmediate);
    batch.resolve(undefined);
  }
  await stopped;
});

test('what is left of a batch is handled alone while the others wait for the log, and postponed where that fails for good', async () => {
  const never = new Promise<void>(() => undefined);
  const { sweeper, told } = sweeping(async (ids) => ({ left: ids.slice(0, 1), published: never }));
  await sweeper.start(() => undefined);
  await atLeast(2, () => told.postponed.length);
  void sweeper.stop();

  expect(told.postponed.slice(0, 2)).toEqual(['record-300', 'record-600']);
  expect(told.alone).toEqual(told.postponed);
});

test('a record that cannot be read is told of, also where its deadline has moved meanwhile', async () => {
  const { sweeper, told } = sweeping(
    async (ids) => ({ left: ids.slice(0, 1), published: Promise.resolve() }),
    false,
  );
  await sweeper.start(() => undefined);
  await atLeast(1, () => told.warnings.length);
  await sweeper.stop();

  expect(told.warnings[0]).toMatchObject({ code: 'BAD_REQUEST' });
});

test('that the log is away is told by the next round, and nothing is postponed', async () => {
  const { sweeper, told } = sweeping(async () => ({ left: [], published: Promise.reject(unavailable()) }));
  await sweeper.start(() => undefined);
  await atLeast(2, () => told.warnings.length);
  await sweeper.stop();

  expect(told.warnings[0]).toMatchObject({ code: 'UNAVAILABLE' });
  expect([told.postponed, told.alone]).toEqual([[], []]);
});
