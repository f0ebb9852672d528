import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Game, LauncherKey } from '#libs/catalog/catalog.ts';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor, shards } from '#libs/kernel/shards.ts';
import { createTally } from '#libs/records/tally.ts';
import type { Tallied } from '#libs/records/tally.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { sessionTally } from '../../services/game-session/adapters/count-sessions.ts';
import { redisSessions, sessionsPrefix } from '../../services/game-session/adapters/redis-sessions.ts';
import { begin, close, deplete } from '../../services/game-session/core/session.ts';
import type { Session } from '../../services/game-session/core/session.ts';
import { launcherTally, sizeOfCafe } from '../../services/launcher-gateway/adapters/count-launchers.ts';
import {
  launchersPrefix,
  redisLauncherSessions,
} from '../../services/launcher-gateway/adapters/redis-launcher-sessions.ts';
import { cryptoTokens } from '../../services/launcher-gateway/adapters/token-crypto.ts';
import { begin as beginLauncher } from '../../services/launcher-gateway/core/launcher-session.ts';
import { eventually } from '../support/eventually.ts';
import { samplesOf } from '../support/read-metrics.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 4 });
const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
beforeEach(() => redis.flushdb());
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});

const newPcId = (): string =>
  `pc_${shards[Math.floor(Math.random() * 16)]!}${randomBytes(16).toString('hex').slice(1)}`;

const play = async (gameId: string, become: (session: Session) => Session | undefined): Promise<void> => {
  const pcId = newPcId();
  const gameSessionId = gameSessionIdFor(randomUUID(), pcId);
  const order = {
    ...{ gameSessionId, pcId, presentationId: randomUUID(), tokenHash: 'a'.repeat(64), cafeId: 'cafe-1' },
    // A name that looks like a field of the record must not be taken for one.
    ...{ gameId, providerUserId: '"state":"ended"', isPcCafe: true, launcherSessionId: randomUUID() },
    startedAtMs: Date.now(),
  };
  const session = begin({ order, pending: false, remainingSec: 1 }, specLimits);
  await redisSessions(redis, specLimits, { packs: true }).update(
    gameSessionId,
    () => become(session) ?? session,
    pcId,
  );
};

const counting = async (told: (tally: readonly Tallied[]) => void) => {
  const { sets, fields } = sessionTally(createMetrics('test'), { games: () => [] });
  const tally = createTally({ redis, log, prefix: sessionsPrefix, sets, fields, told });
  await tally.start(() => undefined);
  return tally;
};

test('sessions are told by state and game, those of a state that nobody is in as 0 (D-49)', async () => {
  const nowMs = Date.now();
  for (let at = 0; at < 120; at += 1) await play('starfall', (it) => it);
  for (let at = 0; at < 3; at += 1) await play('moonrise', (it) => deplete(it, specLimits));
  await play('moonrise', (it) => close(it, { reason: 'game_ended', nowMs }, specLimits));
  const metrics = createMetrics('game-session');
  const games = ['starfall', 'moonrise'].map((gameId) => ({ gameId }) as Game);
  const tally = await counting(sessionTally(metrics, { games: () => games }).told);

  const found = async () =>
    samplesOf(await metrics.text())
      .filter(({ name }) => name === 'gsb_game_sessions')
      .map(({ labels, value }) => [labels['game_id'], labels['state'], value]);
  const told = await eventually(found, (all) => all.some(([, , count]) => count === 120));
  await tally.stop();

  expect(told).toHaveLength(8);
  expect(told.filter(([, , count]) => count !== 0)).toEqual([
    ['starfall', 'active', 120],
    ['moonrise', 'charge_exhausted', 3],
    ['moonrise', 'ending', 1],
  ]);
}, 30_000);

test('one replica counts, and the others tell what it found; it rests longer than it worked (D-49)', async () => {
  await play('starfall', (it) => it);
  const told: number[] = [];
  const replicas = await Promise.all([1, 2, 3].map((id) => counting(() => void told.push(id))));

  await eventually(
    async () => new Set(told).size,
    (count) => count === 3,
  );
  await Promise.all(replicas.map((each) => each.stop()));

  const calls = await redis.info('commandstats');
  expect(calls).toContain('cmdstat_zscan');
  expect(await redis.pttl(`${sessionsPrefix}:{0}:tally`)).toBeGreaterThan(0);
  expect(await redis.exists(`${sessionsPrefix}:{0}:tally-lease`)).toBe(0);
}, 30_000);

test('live launchers are told by the size of their cafe, those with the cafe’s key and those with a PC’s own (D-49)', async () => {
  const launchers = redisLauncherSessions(redis, specLimits, { packs: true });
  const start = (pcId: string, keyId: string, isOwnKey: boolean) => {
    const { id, tokenHash } = cryptoTokens({ packs: true, seals: false }).newToken(pcId);
    const seat = {
      id,
      tokenHash,
      launcherSessionId: randomUUID(),
      cafeId: 'cafe-1',
      pcId,
      ip: '203.0.113.7',
    };
    const key = { keyId, keyFingerprint: '0123456789ab', isOwnKey, isPcCafe: true, traceparent: null };
    return launchers.update(id, ({ nowMs }) => beginLauncher({ ...seat, ...key }, nowMs, specLimits), pcId);
  };
  for (const pcId of [newPcId(), newPcId()]) await start(pcId, 'cafe-1.k1', false);
  await start(newPcId(), 'cafe-1.k1', true);
  const metrics = createMetrics('launcher-gateway');
  const key = { pcs: 40 } as LauncherKey;
  const { sets, fields, told } = launcherTally(metrics, {
    launcherKey: (keyId) => (keyId === 'cafe-1.k1' ? key : undefined),
  });
  const tally = createTally({ redis, log, prefix: launchersPrefix, sets, fields, told });
  await tally.start(() => undefined);

  const found = async () =>
    samplesOf(await metrics.text())
      .filter(({ name, value }) => name === 'gsb_launcher_sessions' && value > 0)
      .map(({ labels, value }) => [labels['cafe_size'], value]);
  const sizes = await eventually(found, (all) => all.length > 0);
  await tally.stop();

  expect(sizes).toEqual([['up_to_50', 3]]);
}, 30_000);

test.each([
  [undefined, 'unknown'],
  [1, 'up_to_20'],
  [20, 'up_to_20'],
  [21, 'up_to_50'],
  [200, 'up_to_200'],
  [201, 'over_200'],
])('a cafe with %s PCs is %s', (pcs, size) => {
  expect(sizeOfCafe(pcs)).toBe(size);
});
