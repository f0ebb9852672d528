import { createHash } from 'node:crypto';
import { runCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { ownDatabase } from '../support/own-database.ts';
import { day, sessions, useClosings } from './closing-world.ts';

const { statement, env, close, closed, client, countOf, partnerAnswers } = useClosings();
const linesOf = (csv: string, kind: string) => csv.split('\n').filter((line) => line.startsWith(`${kind},`));

test('a day that is closed twice gives the same bytes, and its last line proves them (D-28)', async () => {
  const [first, second] = [await closed(), await closed()];

  expect([first.code, second.code]).toEqual([0, 0]);
  expect(second.out).toBe(first.out);
  const [checksum = '', ...rest] = first.out.trimEnd().split('\n').reverse();
  const proven = `${rest.reverse().join('\n')}\n`;
  expect(checksum).toContain(`sha256=${createHash('sha256').update(proven).digest('hex')}`);
  expect(linesOf(first.out, 'closing')[0]).toContain(`${day},,,,${sessions},`);
  expect(linesOf(first.out, 'difference')).toEqual([]);
}, 30_000);

test('killed midway it has closed nothing, and run again it gives the bytes of an uninterrupted run', async () => {
  partnerAnswers(async () => undefined);
  const killed = close('--day', day);
  await eventually(
    async () => killed.printed(),
    (printed) => printed.includes('asking the partner'),
  );
  killed.kill();
  expect((await killed.ended).code).toBe(null);
  expect(await countOf('closings')).toBe(0);

  partnerAnswers(statement);
  const again = await closed();
  const reference = await ownDatabase();
  await reference.seed(day, sessions);
  const untouched = await runCommand('deploy/operations/close-day.ts', ['--day', day], {
    ...env(),
    DATABASE_URL: reference.url,
  });
  await reference.drop();

  expect([again.code, untouched.code]).toEqual([0, 0]);
  expect(again.out).toBe(untouched.out);
}, 30_000);

test('two closings that overlap make one, and both print the same', async () => {
  const both = await Promise.all([closed(), closed()]);

  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(both[0].out).toBe(both[1].out);
  expect(await countOf('closings')).toBe(1);
}, 30_000);

test('an entry that comes after its day was closed becomes an adjustment of the next closing, and no closed byte changes (D-30, D-31)', async () => {
  const before = await closed();
  await client().query(
    `insert into entries (game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, play_duration_sec)
     select 'gs_ffffffff-0000-4000-8000-000000000000', cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, 77 from entries limit 1`,
  );

  const next = await close('--day', '2026-11-19').ended;
  const third = await close('--day', '2026-11-20').ended;

  expect(next.err).toContain('closed 2026-11-19');
  expect(linesOf(next.out, 'adjustment')).toEqual([expect.stringContaining(`adjustment,${day},`)]);
  expect(linesOf(next.out, 'adjustment')[0]).toContain(',gs_ffffffff-0000-4000-8000-000000000000,1,77,');
  expect(next.out).toContain('not_confirmed');
  expect(linesOf(third.out, 'adjustment')).toEqual([]);
  expect((await closed()).out).toBe(before.out);
}, 40_000);

test.each([
  ['Asia/Seoul', 'UTC'],
  ['UTC', 'Asia/Seoul'],
])(
  'from %s to %s: a session between the midnights of the two is in one closing (D-31)',
  async (before, after) => {
    const between = ['2026-11-18T16:00:00Z', '2026-11-18T16:10:00Z'];
    await client().query(
      `insert into entries (game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, play_duration_sec)
       select 'gs_eeeeeeee-0000-4000-8000-000000000000', cafe_id, pc_id, 'between', user_hash, $1, $2, end_reason, 600 from entries limit 1`,
      between,
    );
    const closeIn = (zone: string, of: string) =>
      runCommand('deploy/operations/close-day.ts', ['--day', of, '--without-partner'], {
        ...env(),
        SETTLEMENT_TIME_ZONE: zone,
      });

    const codes = [(await closeIn(before, day)).code, (await closeIn(after, '2026-11-19')).code];

    expect(codes).toEqual([0, 0]);
    const counted = `select day::text, sessions from closing_totals where game_id = 'between'`;
    expect((await client().query(counted)).rows).toHaveLength(1);
  },
  30_000,
);

test('where the CSV cannot be written nothing is closed; where that shows later it says that the day is closed', async () => {
  const before = await closed('--out', '/nowhere/closing.csv');
  const closings = await countOf('closings');
  const full = await closed('--out', '/dev/full/closing.csv');
  const piped = close('--day', day);
  piped.stopReading();
  const { code, err } = await piped.ended;

  expect([before.code, full.code, closings]).toEqual([1, 1, 0]);
  expect(before.err).toContain('Nothing is closed');
  expect(code).toBe(5);
  expect(err).toContain(`${day} is closed, but its CSV could not be written`);
  expect(err).toContain('"outcome":"failed"');
}, 30_000);

test('without the partner’s own statement nothing is closed, unless --without-partner asks for that, and the closing says so (D-29)', async () => {
  partnerAnswers(async () => '{"error":"not today"}');
  const refused = await closed();
  expect([refused.code, refused.out]).toEqual([3, '']);
  expect(refused.err).toContain('Nothing is closed');
  expect(await countOf('closings')).toBe(0);

  const without = await closed('--without-partner');

  expect(without.code).toBe(0);
  expect(without.out).toContain('partner_statement_left_out');
}, 30_000);

test('a statement that names a billing twice is not compared: each line would count the session once more (D-29)', async () => {
  partnerAnswers(async (of) =>
    (await statement(of)).replace(/\{"billing_id".*?\}\}/, (billing) => `${billing},${billing}`),
  );

  const { code, out, err } = await closed();

  expect([code, out]).toEqual([3, '']);
  expect(err).toContain("the partner's statement names a billing twice");
  expect(await countOf('closings')).toBe(0);
}, 30_000);

test('a difference is listed with its likely cause', async () => {
  partnerAnswers(async (of) =>
    (await statement(of)).replace('"play_duration_sec":61,', '"play_duration_sec":99,'),
  );
  const { out } = await closed();

  expect(linesOf(out, 'difference')).toEqual([
    expect.stringContaining(',answer_and_statement_differ,notable,61,99,'),
  ]);
}, 30_000);

test('a day that is not over is not closed, only shown (D-31)', async () => {
  const shown = await close('--day', 'today', '--preview').ended;
  const refused = await close('--day', 'today').ended;

  expect([shown.code, refused.code]).toEqual([0, 2]);
  expect(refused.err).toContain('is not over in Asia/Seoul');
  expect(await countOf('closings')).toBe(0);
}, 30_000);
