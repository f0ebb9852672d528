import { memoryRecords } from '../../../support/memory-records.ts';

interface Visit {
  readonly id: string;
  readonly pc: string;
  readonly version: number;
  readonly deadlineAtMs: number;
  readonly live: boolean;
}

const visit = (id: string): Visit => ({ id, pc: 'pc-1', version: 1, deadlineAtMs: 0, live: true });
const over = (record: Visit): Visit => ({ ...record, version: record.version + 1, live: false });
const newStore = () =>
  memoryRecords<Visit>({
    idOf: ({ id }) => id,
    ownerOf: ({ pc }) => pc,
    holdsSeat: ({ live }) => live,
    clock: () => 7,
  });

test('a new record takes its owner’s seat, and one that stops holding it leaves it in the same step', async () => {
  const { update, seats } = newStore();

  await update('a', () => visit('a'), 'pc-1');
  expect(seats.get('pc-1')).toBe('a');

  await update('a', ({ record }) => record && over(record));
  expect(seats.has('pc-1')).toBe(false);
});

test('a new record sees who holds the seat, and may displace it in the same step (I2)', async () => {
  const { update, records, seats } = newStore();
  await update('a', () => visit('a'), 'pc-1');

  const { after, displaced } = await update(
    'b',
    ({ seated }) => ({ record: visit('b'), displaced: seated && over(seated) }),
    'pc-1',
  );

  expect([after?.id, displaced?.id]).toEqual(['b', 'a']);
  expect(records.get('a')?.live).toBe(false);
  expect(seats.get('pc-1')).toBe('b');
});

test('a new record that is over from its beginning leaves the seat to its holder', async () => {
  const { update, seats } = newStore();
  await update('a', () => visit('a'), 'pc-1');

  await update('b', () => over(visit('b')), 'pc-1');

  expect(seats.get('pc-1')).toBe('a');
});

test('a decision is asked again while another writer comes first, and after ten attempts the answer is UNAVAILABLE', async () => {
  const { update, losesNext } = newStore();
  let asked = 0;
  const decide = () => ((asked += 1), visit('a'));

  losesNext(9);
  await expect(update('a', decide, 'pc-1')).resolves.toMatchObject({ nowMs: 7, after: { id: 'a' } });
  expect(asked).toBe(10);

  losesNext(10);
  await expect(update('b', () => visit('b'), 'pc-1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('nothing is written where nothing is decided, and a forgotten record is gone', async () => {
  const { update, records, losesNext } = newStore();
  await update('a', () => visit('a'), 'pc-1');

  losesNext(10);
  expect((await update('a', () => undefined)).after).toBeUndefined();
  expect((await update('a', ({ record }) => record)).after).toEqual(visit('a'));
  losesNext(0);
  await update('a', () => 'forget');

  expect(records.size).toBe(0);
});

test('what is new is written without a read where its owner’s seat is free (D-66)', async () => {
  const { update, records, seats, reads } = newStore();

  const { nowMs, record, after } = await update('a', () => visit('a'), 'pc-1', { isNew: true });

  expect([nowMs, record, after?.id]).toEqual([7, undefined, 'a']);
  expect([records.get('a'), seats.get('pc-1'), reads()]).toEqual([visit('a'), 'a', 0]);
});

test('what was taken for new, and is known or finds the seat taken, is decided again on what is read', async () => {
  const { update, records, seats } = newStore();
  await update('a', () => visit('a'), 'pc-1', { isNew: true });
  const seen: (string | undefined)[] = [];

  await update('a', ({ record }) => (seen.push(record?.id), record ?? visit('a')), 'pc-1', { isNew: true });
  const { displaced } = await update(
    'b',
    ({ seated }) => (seen.push(seated?.id), { record: visit('b'), displaced: seated && over(seated) }),
    'pc-1',
    { isNew: true },
  );

  expect(seen).toEqual([undefined, 'a', undefined, 'a']);
  expect([displaced?.id, seats.get('pc-1')]).toEqual(['a', 'b']);
  expect(records.get('a')).toMatchObject({ version: 2, live: false });
});

test('what was decided for an instant that is long past is decided again, and what was not read says when it was written', async () => {
  const { update, supposesWrong } = newStore();
  const seen: number[] = [];
  const decide = ({ nowMs }: { nowMs: number }) => (seen.push(nowMs), visit('a'));

  supposesWrong(-600);
  await update('a', decide, 'pc-1', { isNew: true });
  await update('a', () => 'forget');
  supposesWrong(-3);
  const { nowMs } = await update('a', decide, 'pc-1', { isNew: true });

  expect(seen).toEqual([-593, 7, 4]);
  expect(nowMs).toBe(7);
});

test('that nothing is to be written is never decided on what was supposed', async () => {
  const { update } = newStore();
  await update('a', () => visit('a'), 'pc-1');

  const { record } = await update('a', () => undefined, 'pc-1', { isNew: true });

  expect(record?.id).toBe('a');
});
