import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { eventually } from '../../../support/eventually.ts';

/** A sweeper of records of which a hundred more are due each time it looks; `handling` settles each batch. */
const sweeping = (handleTogether: (ids: readonly string[]) => Promise<readonly string[]>) => {
  const told = { warnings: [] as unknown[], runs: 0, postponed: [] as string[], single: [] as string[] };
  let next = 0;
  const sweeper = createSweeper({
    records: {
      due: async () => Array.from({ length: 100 }, () => `record-${(next += 1)}`),
      postpone: async (id: string) => {
        told.postponed.push(id);
        return 'postponed';
      },
    },
    handleTogether,
    handle: async (id: string) => {
      told.single.push(id);
      throw new Refusal('BAD_REQUEST');
    },
    log: { info: () => undefined, warn: ({ error }: { error: unknown }) => told.warnings.push(error) },
    metrics: {
      counter: () => ({ inc: () => undefined }),
      gauge: () => ({ setToCurrentTime: () => (told.runs += 1) }),
    },
  } as never);
  return { sweeper, told };
};

test('while one batch waits for the log the next ones are handled, two thousand records and no more, and a stop waits for all', async () => {
  let release = Promise.withResolvers<undefined>();
  let [inHand, most, handled] = [0, 0, 0];
  const { sweeper } = sweeping(async (ids) => {
    inHand += ids.length;
    most = Math.max(most, inHand);
    await release.promise;
    inHand -= ids.length;
    handled += ids.length;
    return [];
  });
  const begun = (records: number) =>
    eventually(
      async () => handled + inHand,
      (count) => count >= records,
      10_000,
    );

  await sweeper.start(() => undefined);
  await begun(2_000);
  release.resolve(undefined);
  release = Promise.withResolvers();
  await begun(4_000);
  const stopped = sweeper.stop();
  release.resolve(undefined);
  await stopped;

  expect({ most, inHand, handled }).toEqual({ most: 2_000, inHand: 0, handled: 4_000 });
});

test('what is left of a batch is handled alone, and postponed where that fails for good', async () => {
  const { sweeper, told } = sweeping(async (ids) => ids.slice(0, 1));
  await sweeper.start(() => undefined);
  await eventually(
    async () => told.postponed.length,
    (count) => count >= 2,
    10_000,
  );
  await sweeper.stop();

  expect(told.postponed.slice(0, 2)).toEqual(['record-1', 'record-101']);
  expect(told.single).toEqual(told.postponed);
});

test('a batch that met an outage is told by the next round, and nothing is postponed', async () => {
  const { sweeper, told } = sweeping(async () => Promise.reject(unavailable()));
  await sweeper.start(() => undefined);
  await eventually(
    async () => told.warnings.length,
    (count) => count >= 2,
    10_000,
  );
  await sweeper.stop().catch(() => undefined);

  expect(told.warnings[0]).toMatchObject({ code: 'UNAVAILABLE' });
  expect([told.postponed, told.single]).toEqual([[], []]);
});

test('a batch that fails for another reason is handled record by record', async () => {
  const { sweeper, told } = sweeping(async () => Promise.reject(new Error('a bug')));
  await sweeper.start(() => undefined);
  await eventually(
    async () => told.postponed.length,
    (count) => count >= 100,
    10_000,
  );
  await sweeper.stop();

  expect(told.postponed.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, at) => `record-${at + 1}`));
});
