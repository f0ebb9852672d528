import { randomBytes, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { postgresLedger } from '../../services/settlement/ledger/postgres-ledger.ts';
import { postgresUserHashes } from '../../services/settlement/ledger/postgres-user-hashes.ts';
import { recordPlay } from '../../services/settlement/ledger/record-play.ts';
import type { LedgerEvent } from '../../services/settlement/ledger/ports.ts';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
const ledger = postgresLedger(pool);
const record = recordPlay({ ledger, hashUser: postgresUserHashes(pool, () => randomBytes(32)) });
afterAll(() => pool.end());

const ending = (gameSessionId: string, playDurationSec: number) =>
  ({
    name: 'game-session.ending',
    data: {
      session: {
        ...{
          gameSessionId,
          cafeId: 'cafe-1',
          pcId: `pc_${'0'.repeat(32)}`,
          gameId: 'starfall',
          providerUserId: 'u1',
        },
        ...{ startedAtMs: 1_700_000_000_123, endedAtMs: 1_700_000_060_123, endReason: 'game_ended' },
        ...{ playDurationSec, clientPlayDurationSec: null },
      },
    },
  }) as unknown as LedgerEvent;

describe('the ledger', () => {
  test('a redelivered event writes one entry, and the first one stands (I7)', async () => {
    const id = `gs_${randomUUID()}`;
    await record([ending(id, 60), ending(id, 60)]);
    await record([ending(id, 61)]);

    expect(await ledger.find(id)).toMatchObject({
      playDurationSec: 60,
      startedAt: '2023-11-14T22:13:20.123Z',
      partnerPlayDurationSec: null,
    });
  });

  test("the partner's confirmation may come before the entry it confirms, and twice", async () => {
    const id = `gs_${randomUUID()}`;
    const stopped: LedgerEvent = {
      name: 'billing.stopped',
      data: { gameSessionId: id, partnerPlayDurationSec: 60 },
    };
    await record([stopped]);
    await record([stopped, ending(id, 60)]);

    expect(await ledger.find(id)).toMatchObject({
      playDurationSec: 60,
      partnerPlayDurationSec: 60,
      compensationSec: 0,
    });
  });

  test('an entry settles seconds, never amounts of money (D-16)', async () => {
    const id = `gs_${randomUUID()}`;
    await record([ending(id, 60)]);

    const fields = Object.keys((await ledger.find(id))!);
    expect(fields.filter((name) => /amount|price|currency|fee|won/i.test(name))).toEqual([]);
    expect(fields.filter((name) => name.endsWith('Sec')).sort()).toEqual([
      'clientPlayDurationSec',
      'compensationSec',
      'partnerPlayDurationSec',
      'playDurationSec',
    ]);
  });

  test('an entry is never changed and never removed', async () => {
    const id = `gs_${randomUUID()}`;
    await record([ending(id, 60)]);

    await expect(
      pool.query('update entries set play_duration_sec = 1 where game_session_id = $1', [id]),
    ).rejects.toThrow('never changed');
    await expect(pool.query('delete from entries where game_session_id = $1', [id])).rejects.toThrow(
      'never changed',
    );
  });
});
