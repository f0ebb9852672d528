import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { postgresUserHashes } from '../../services/settlement/ledger/postgres-user-hashes.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { OwnDatabase } from '../support/own-database.ts';
import { newPlayer, theStack } from '../support/suite-stack.ts';

test('no line of any log has a player', async () => {
  const stack = await theStack();
  const { server, id, user } = await newPlayer(stack);
  await server.heartbeat(id, user);
  await server.end(id);

  const folder = join(dirname(process.env['GSB_STACK'] ?? ''), 'logs');
  const files = readdirSync(folder);
  expect(files).toContain('game-session.log');
  for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).not.toContain(user);
});

describe('the hash of a player in the ledger (D-43)', () => {
  let database: OwnDatabase;
  beforeAll(async () => {
    database = await ownDatabase();
  });
  afterAll(() => database.drop());
  const player = { gameId: 'starfall', providerUserId: '76561198000000001' };
  /** As one more process of settlement. */
  const hash = (instant: string, who = player) =>
    postgresUserHashes(database.client, () => randomBytes(32))(who, Date.parse(instant));

  test('tells that two sessions of a month are of one player, at every replica', async () => {
    const [one, again] = [await hash('2026-11-01T00:00:00Z'), await hash('2026-11-30T23:59:59Z')];

    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(again).toBe(one);
    expect(await hash('2026-11-20T00:00:00Z', { ...player, gameId: 'moonrise' })).not.toBe(one);
  });

  test('is another one next month, and nobody can compute the old one when its secret is forgotten', async () => {
    const november = await hash('2026-11-20T00:00:00Z');
    expect(await hash('2026-12-01T00:00:00Z')).not.toBe(november);
    expect(await hash('2026-11-20T00:00:00Z')).toBe(november);

    await hash('2027-02-01T00:00:00Z');

    const { rows } = await database.client.query(
      "select to_char(month, 'YYYY-MM') as month from user_hash_secrets order by 1",
    );
    expect(rows).toEqual([{ month: '2026-12' }, { month: '2027-02' }]);
  });

  test('is forgotten by a process that has run all the time, too', async () => {
    const running = postgresUserHashes(database.client, () => randomBytes(32));
    const hashIn = (month: string) => running(player, Date.parse(`${month}-20T00:00:00Z`));
    const [november, december] = [await hashIn('2030-11'), await hashIn('2030-12')];

    await hashIn('2031-02');

    expect(await hashIn('2030-12')).toBe(december);
    expect(await hashIn('2030-11')).not.toBe(november);
  });
});
