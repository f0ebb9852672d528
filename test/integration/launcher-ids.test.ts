import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { withPin } from '#libs/kernel/partition-pins.ts';
import { uuidOfDigest } from '#libs/kernel/shards.ts';
import {
  launchersPrefix,
  redisLauncherSessions,
} from '../../services/launcher-gateway/adapters/redis-launcher-sessions.ts';
import { sessionIdsOf } from '../../services/launcher-gateway/adapters/session-ids.ts';
import { sessionOfToken } from '../../services/launcher-gateway/adapters/session-of-token.ts';
import { cryptoTokens } from '../../services/launcher-gateway/adapters/token-crypto.ts';
import { begin, takeSeat } from '../../services/launcher-gateway/core/launcher-session.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 15 });
afterAll(() => redis.disconnect());

/** A replica that packs, or does not. */
const replica = (packs: boolean) => {
  const sessions = redisLauncherSessions(redis, limits, { packs });
  const tokens = cryptoTokens({ packs, seals: false });
  const start = async (pcId: string): Promise<string> => {
    const { token, ...ids } = tokens.newToken(pcId);
    const launcherSessionId = withPin(uuidOfDigest(ids.tokenHash), 12);
    const seat = { ...ids, launcherSessionId, cafeId: 'cafe-1', pcId, ip: '203.0.113.7', isPcCafe: true };
    const key = { keyId: 'cafe-1.k1', keyFingerprint: '0123456789ab', isOwnKey: false, traceparent: null };
    await sessions.update(
      ids.id,
      ({ seated, nowMs }) => takeSeat(begin({ ...seat, ...key }, nowMs, limits), seated, nowMs, limits),
      pcId,
    );
    return token;
  };
  return { sessions, start, find: sessionOfToken({ sessions, limits, packs }) };
};
const [packing, plain] = [replica(true), replica(false)];
const newPc = () => `pc_${randomBytes(16).toString('hex')}`;
const foundBy = async ({ find }: ReturnType<typeof replica>, token: string) => (await find(token))?.session;

test('the id of a session that begins where records are packed has 20 characters, elsewhere the whole hash of its token (D-57)', async () => {
  const [packed, whole] = [await packing.start(newPc()), await plain.start(newPc())];

  expect((await foundBy(packing, packed))?.id).toMatch(/^[0-9a-f][\w-]{19}$/);
  for (const by of [plain, packing]) expect((await foundBy(by, whole))?.id).toMatch(/^[0-9a-f]{65}$/);
});

test('a replica that does not pack gives a session the id that versions before look for; a launcher loses neither its session nor its seat (D-57)', async () => {
  const pcId = newPc();
  const token = await packing.start(pcId);
  const before = await foundBy(packing, token);

  const found = await Promise.all([foundBy(plain, token), foundBy(plain, token)]);

  const id = sessionIdsOf(token)?.full ?? '';
  const moved = { ...before, id, tokenHash: id.slice(1) };
  expect(found).toEqual([moved, moved]);
  expect(await packing.sessions.holderOf(pcId)).toBe(id);
  expect((await packing.sessions.read(before?.id ?? '')).record?.state).toBe('replaced');
  const expiries = `${launchersPrefix}:{${pcId.charAt(3)}}:expiries`;
  expect(await redis.zscore(expiries, id)).toBe(String(before?.deadlineAtMs));
  expect(await redis.zscore(expiries, before?.id ?? '')).toBeNull();
  expect(await foundBy(packing, token)).toEqual(moved);
});

test('a live session takes Redis less than 240 bytes, of which its id on the log takes a few (D-57)', async () => {
  const pcId = newPc();
  const { id = '' } = (await foundBy(packing, await packing.start(pcId))) ?? {};
  const key = `${launchersPrefix}:{${pcId.charAt(3)}}:record:${id}`;

  expect(await redis.memory('USAGE', key)).toBeLessThan(240);
});

test('a session that is replaced does not come back under its other id', async () => {
  const pcId = newPc();
  const token = await packing.start(pcId);
  await packing.start(pcId);

  expect(await foundBy(plain, token)).toBeUndefined();
  expect(await foundBy(plain, 'gsbl_no token')).toBeUndefined();
});
