import { createMetrics } from '#libs/runtime/metrics.ts';
import { measureClosings } from '../../services/settlement/closing/postgres-closing-metrics.ts';
import { samplesOf } from '../support/read-metrics.ts';
import { day, sessions, useClosings } from './closing-world.ts';

const { statement, close, closed, client, partnerAnswers } = useClosings();

test('settlement tells how the last closing went, and for how long a day has been waiting for one (D-49)', async () => {
  const metrics = createMetrics('settlement');
  const nowMs = Date.parse(`${day}T00:00:00+09:00`) + 36 * 3_600_000;
  let atMs = nowMs;
  const db = { query: (statement: object) => client().query(statement as never) };
  const measure = measureClosings({ db, metrics, clock: () => atMs, timeZone: 'Asia/Seoul' });
  const told = async () => {
    atMs += 60_000;
    await measure();
    const samples = samplesOf(await metrics.text()).filter(({ name }) => /closing|unclosed/.test(name));
    const nonZero = samples.filter(({ value }) => value !== 0);
    return Object.fromEntries(
      nonZero.map(({ name, labels: { cause = '', records = '' }, value }) => [name + cause + records, value]),
    );
  };
  partnerAnswers(async (of) =>
    (await statement(of)).replace('"play_duration_sec":61,', '"play_duration_sec":99,'),
  );

  const before = await told();
  await closed();
  const after = await told();

  expect(before).toEqual({ gsb_unclosed_day_age_seconds: 12 * 3_600 + 60 });
  expect(after).toEqual({
    gsb_last_closing_sessionsagree: sessions - 1,
    gsb_last_closing_sessionsdiffer: 1,
    gsb_last_closing_differencesanswer_and_statement_differ: 1,
    gsb_last_closing_seconds: expect.any(Number),
  });
}, 30_000);

test('a day that was passed over is still told when the day after it is closed, until it is closed itself (D-49)', async () => {
  const next = '2026-11-19';
  const metrics = createMetrics('settlement');
  const nowMs = Date.parse(`${next}T00:00:00+09:00`) + 30 * 3_600_000;
  const db = { query: (statement: object) => client().query(statement as never) };
  const ageOfOldest = async () => {
    await measureClosings({ db, metrics, clock: () => nowMs, timeZone: 'Asia/Seoul' })();
    return samplesOf(await metrics.text()).find(({ name }) => name === 'gsb_unclosed_day_age_seconds')?.value;
  };

  await close('--day', next).ended;
  expect(await ageOfOldest()).toBe(30 * 3_600);
  await closed();
  expect(await ageOfOldest()).toBe(0);
}, 30_000);
