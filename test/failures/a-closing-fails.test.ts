import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import { AnotherClosingRuns } from '../../services/settlement/closing/ports.ts';
import type { PartnerBilling } from '../../services/settlement/closing/ports.ts';
import { postgresClosings } from '../../services/settlement/closing/postgres-closings.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import { runCommand } from '../support/command.ts';
import { day, useClosings } from './closing-world.ts';

const { env, statement, closed, client, countOf, partnerAnswers } = useClosings();
const limits = { lockTimeoutMs: 100, statementTimeoutMs: 5_000 };

describe('close-day says why it failed', () => {
  test.each([
    ['57014', 'canceling statement due to statement timeout'],
    ['53100', 'could not extend file: No space left on device'],
    ['P0001', 'what is in the ledger is never changed'],
  ])(
    'with the words of Postgres: %s, %s',
    async (sqlState, words) => {
      await client().query(
        `create function fail() returns trigger language plpgsql as $$
         begin raise exception using errcode = '${sqlState}', message = '${words}'; end $$;
       create trigger fails before insert on closing_totals execute function fail()`,
      );

      const { code, err } = await closed('--without-partner');

      expect([code, err]).toEqual([4, expect.stringContaining(`${words} (${sqlState}). Run it again`)]);
      expect(err).not.toContain('another closing');
      expect(await countOf('closings')).toBe(0);
    },
    30_000,
  );

  test('that there is no Postgres where it was looked for', async () => {
    const nobody = `127.0.0.1:${await freePort(0)}`;
    const { code, err } = await runCommand('deploy/operations/close-day.ts', ['--day', day], {
      ...env(),
      DATABASE_URL: `postgres://gsb@${nobody}/gsb`,
    });

    expect([code, err]).toEqual([4, expect.stringContaining(`connect ECONNREFUSED ${nobody}. Run it`)]);
    expect(err).not.toContain('another closing');
  }, 30_000);
});

test('who waits in vain for the lock of closings hears that another closing runs', async () => {
  const url = env().DATABASE_URL;
  const [first, second] = [await openConnection(url, limits), await openConnection(url, limits)];
  const lost = postgresClosings(first).withLock(() => postgresClosings(second).withLock(async () => 'both'));

  await expect(lost).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: expect.any(AnotherClosingRuns) });

  await Promise.all([first.end(), second.end()]);
}, 30_000);

describe('a statement of the partner that is not plausible is not compared, and nothing is closed (D-29)', () => {
  test.each([
    ['seconds that no session has', '"play_duration_sec":61,', '"play_duration_sec":3000000000,'],
    ['an id that no database takes', '{"billing_id":"gs_', '{"billing_id":"\\u0000gs_'],
    ['an id that is half a character', '{"billing_id":"gs_', '{"billing_id":"\\ud83dgs_'],
    ['a start in the year 0', /"started_at":"2026/, '"started_at":"0000'],
  ])(
    '%s',
    async (_what, said, instead) => {
      partnerAnswers(async (of) => (await statement(of)).replace(said, instead));

      const { code, out, err } = await closed();

      expect([code, out]).toEqual([3, '']);
      expect(err).toContain('a billing in it is not as agreed. Nothing is closed.');
      expect(err).toContain('close without it: --without-partner');
      expect(await countOf('closings')).toBe(0);
    },
    30_000,
  );

  test('what only Postgres does not take', async () => {
    const connection = await openConnection(env().DATABASE_URL, limits);
    const closings = postgresClosings(connection);
    const billing: PartnerBilling = {
      ...{ billingId: 'gs_x', cafeId: 'cafe-1', gameId: 'game-1', status: 'stopped' },
      ...{ startedAt: '2026-11-18T24:00:01Z', stoppedAt: null, playDurationSec: 1 },
    };
    const work = async (): Promise<void> => {
      await closings.begin({
        ...{ day, timeZone: 'Asia/Seoul', partnerStatement: 'compared', beginsAtMs: 0, endsAtMs: 1 },
        ...{ uptoEntryNo: 0, uptoConfirmationNo: 0 },
      });
      await closings.addPartnerBillings([billing]);
    };

    await expect(closings.inTransaction(work, { commit: false })).rejects.toMatchObject({
      name: 'PartnerStatementUnavailable',
      message: expect.stringContaining('is not plausible: date/time field value out of range'),
    });
    await connection.end();
  }, 30_000);
});
