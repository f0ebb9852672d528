import { createHash, randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { postgresLedger } from '../../services/settlement/ledger/postgres-ledger.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { operatorEnv } from '../support/operator.ts';
import { gameIdOf, gameServerOf, newOtt, newPlayer, theStack } from '../support/suite-stack.ts';
import { patiently } from '../support/eventually.ts';

const stores = async (): Promise<Record<string, string>> => {
  const { kafka, redis, postgres } = await theStack();
  return { KAFKA_BROKERS: kafka.brokers.join(','), REDIS_URL: redis.url, DATABASE_URL: postgres.url };
};
const ask = async (args: string[], env: Record<string, string> = {}) =>
  runCommand('deploy/operations/session/main.ts', args, { ...(await stores()), ...env });
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

let player: Awaited<ReturnType<typeof newPlayer>>;
beforeAll(async () => {
  player = await patiently(async () => newPlayer(await theStack()));
  await player.server.heartbeat(player.id, player.user);
  await player.server.heartbeat(player.id, player.user);
  await player.server.end(player.id, 1);
}, 30_000);

/** Until the ledger has the session, which is a moment after its end. */
const told = () =>
  patiently(async () => {
    const answer = await ask([player.id]);
    if (!answer.out.includes('the partner confirmed')) throw new Error(answer.out + answer.err);
    return answer;
  });

/** A story without what happens to a launcher that says no more: that may come between two answers, and after the end. */
const withoutLapse = (story: string): string => story.replace(/^.* {2}launcher-session\.lapsed .*\n/m, '');

test('one session is told in order, from its token to the ledger, and in one trace (D-50)', async () => {
  const { out, code } = await told();

  const names = [...withoutLapse(out).matchAll(/^\d{4}-\S+Z {2}(\S+)/gm)].map(([, name]) => name);
  const inOrder = ['ott.issued', 'ott.presented', 'ott.accepted', 'billing.started', 'game-session.started'];
  expect(code).toBe(0);
  expect(names.filter((name) => inOrder.includes(name!))).toEqual(inOrder);
  expect(names.slice(-3)).toEqual(['game-session.ending', 'billing.stopped', 'game-session.ended']);
  expect(names).toContain('launcher-session.started');
  // An event that comes between two heartbeats divides them.
  const heartbeats = [...out.matchAll(/(\d+) heartbeats until here/g)].map(([, count]) => Number(count));
  expect(heartbeats.reduce((sum, count) => sum + count, 0)).toBe(2);
  const [, trace] = /^trace ([0-9a-f]{32})/m.exec(out) ?? [];
  expect(out.split(`trace ${trace}`).length).toBeGreaterThan(5);
  expect(out).toMatch(/Redis: ended, version \d+/);
  expect(out).toMatch(/ledger: \d+ s until .*, game_ended; the partner confirmed \d+ s/);
}, 60_000);

test('the hash of its token, and its player, lead to the same session; neither is printed (D-50)', async () => {
  const whole = await told();
  const [byToken, byPlayer] = await Promise.all([ask([hashOf(player.ott)]), ask(['--player', player.user])]);

  expect(withoutLapse(byToken.out)).toBe(withoutLapse(whole.out));
  expect(byPlayer.out).toContain(`${player.id}  `);
  const typed = startCommand('deploy/operations/session/main.ts', ['--player', '-'], await stores());
  typed.type(`${player.user}\n`);
  expect((await typed.ended).out).toBe(byPlayer.out);
  for (const { out, err } of [whole, byToken, byPlayer]) {
    expect(out).not.toContain(player.user);
    expect(out).not.toContain(player.ott);
    expect(err).not.toContain(player.user);
  }
}, 60_000);

test('a ledger that is away costs its own line alone (D-50)', async () => {
  const { code, out } = await ask([player.id], { DATABASE_URL: 'postgres://gsb@127.0.0.1:1/postgres' });

  expect(code).toBe(0);
  expect(out).toContain('game-session.ended');
  expect(out).toMatch(/Redis: ended, version \d+/);
  expect(out).toMatch(/ledger: could not be read \(.+\)/);
}, 60_000);

test('of a session that the log tells of no more, the ledger says where it was and what became of it (D-50)', async () => {
  const gameSessionId = `gs_${randomUUID()}`;
  const seat = { cafeId: 'cafe-gone', pcId: `pc_${'0'.repeat(32)}`, gameId: 'starfall' };
  const pool = new Pool({ connectionString: (await theStack()).postgres.url });
  await postgresLedger(pool).record([
    {
      ...{ gameSessionId, ...seat, userHash: '0'.repeat(64), endReason: 'game_ended' },
      ...{ startedAtMs: 1_700_000_000_000, endedAtMs: 1_700_000_060_000 },
      ...{ playDurationSec: 60, clientPlayDurationSec: null },
    },
  ]);
  await pool.end();

  const [all, ofTheCafe] = [
    await ask([gameSessionId]),
    await ask([gameSessionId], operatorEnv({ cafes: ['cafe-gone'] })),
  ];

  for (const { code, out } of [all, ofTheCafe]) {
    expect(code).toBe(0);
    expect(out).toContain(`${gameSessionId}  starfall at cafe-gone, ${seat.pcId}`);
    expect(out).toContain('the log tells nothing of it in these hours (see --hours)');
    expect(out).toContain('ledger: 60 s until 2023-11-14T22:14:20.000Z, game_ended');
  }
}, 60_000);

test('an operator of another cafe hears nothing, as of a session that never was (D-40, D-50)', async () => {
  const stranger = operatorEnv({ name: 'stranger', cafes: ['cafe-elsewhere'] });

  const hidden = await Promise.all([ask([player.id], stranger), ask([hashOf(player.ott)], stranger)]);
  const unknown = await ask(['gs_00000000-0000-4000-8000-000000000000']);

  for (const { code, out, err } of [...hidden, unknown]) {
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('nothing is known of it');
  }
}, 60_000);

test('a launcher that asked for another game before has a story of each: who may know of one game hears of the other nothing (D-40, D-50)', async () => {
  const stack = await theStack();
  const { pc } = await patiently(async () => newOtt(stack, { game: 0 }));
  const server = gameServerOf(stack, 1);
  const id = await patiently(async () => {
    const asked = await pc.requestOtt(gameIdOf(stack, 1));
    const verified = asked.ok && (await server.verify(asked.data.ott, `player-${randomUUID()}`));
    if (!verified || !verified.ok || !verified.data.isValid) throw new Error(JSON.stringify(verified));
    return verified.data.gameSessionId;
  });
  await server.end(id, 1);
  const [ofTheFirst, ofTheSecond] = [0, 1].map((game) =>
    operatorEnv({ name: `game-${game}`, games: [gameIdOf(stack, game)] }),
  );

  const [hidden, shown] = [await ask([id], ofTheFirst), await ask([id], ofTheSecond)];

  expect([hidden.code, hidden.out]).toEqual([1, '']);
  expect(shown.code).toBe(0);
  expect(shown.out).toContain(`${id}  ${gameIdOf(stack, 1)} at `);
  expect(shown.out).not.toContain(`a token for ${gameIdOf(stack, 0)}`);
}, 60_000);

test('what is neither a session, a hash nor a player is wrong use', async () => {
  expect((await ask(['nonsense'])).code).toBe(2);
  expect((await ask([player.id, '--player', 'x'])).code).toBe(2);
  expect((await ask(['--player', ''])).code).toBe(2);
  expect((await ask([player.id, '--hours', '0'])).code).toBe(2);
}, 30_000);

test('it is for operators with the role sessions:read, and says who asked (D-40)', async () => {
  const reader = operatorEnv({ name: 'accountant', roles: ['statements:read'] });

  const [refused, done] = [await ask([player.id], reader), await ask([player.id])];

  expect([refused.code, refused.out]).toEqual([2, '']);
  expect(refused.err).toContain('does not have the role sessions:read');
  expect(done.err).toContain(`"operation":"session ${player.id}"`);
  expect(done.err).toContain('"service":"session"');
}, 30_000);
