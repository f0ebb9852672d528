import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { inShardOf } from '#libs/kernel/shards.ts';
import { ottsPrefix, redisOtts } from '../../services/ott/adapters/redis-otts.ts';
import { claim, giveBack } from '../../services/ott/core/claim.ts';
import { advance, consumeOrRepeat, mint, seatOf } from '../../services/ott/core/ott.ts';
import type { Ott } from '../../services/ott/core/ott.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 13 });
beforeEach(() => redis.flushdb());
afterAll(async () => {
  await redis.flushdb();
  redis.disconnect();
});

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const stories = fc.record({
  state: fc.constantFrom('issued', 'claimed', 'claimed', 'claimed', 'reminded', 'claimed again', 'consumed'),
  memorySec: fc.constantFrom(86_400, 86_400, 600),
  packs: fc.constantFrom(true, true, true, false),
  isSeated: fc.boolean(),
  voids: fc.boolean(),
  presentation: fc.constantFrom('own', 'own', 'own', 'another'),
  deadlineMs: fc.constantFrom(undefined, 5_000),
});
type Story = typeof stories extends fc.Arbitrary<infer S> ? S : never;

const claimedBy = (ott: Ott, presentationId: string, deadlineMs: number | undefined): Ott => {
  const asked = { presentationId, tokenHash: ott.tokenHash, gameId: ott.gameId, providerUserId: 'ü "1"' };
  const presented = {
    ...asked,
    outagePolicy: 'refuse' as const,
    eventId: randomUUID(),
    acceptedAtVersion: 0,
  };
  const until = deadlineMs === undefined ? undefined : ott.issuedAtMs + deadlineMs;
  const nowMs = ott.issuedAtMs + 250;
  return claim(ott, { ...presented, deadlineMs: until }, nowMs, { limits: specLimits, hash })!;
};

const tokenIn = ({ state, voids, deadlineMs }: Story, presentationId: string): Ott => {
  const pcId = `pc_${randomBytes(16).toString('hex')}`;
  const { tokenHash } = inShardOf(pcId, () => ({ tokenHash: hash(randomUUID()) }));
  const asked = { ottRequestId: randomUUID(), replyKey: null, cafeId: 'cafe-1', pcId, gameId: 'starfall' };
  const of = { launcherSessionId: randomUUID(), isPcCafe: true, traceparent: null, tokenHash };
  const minted = mint({ ...asked, ...of }, Date.now() - 1_000, specLimits);
  const issued = { ...minted, voids: voids ? hash('an earlier one') : null };
  const claimed = claimedBy(issued, presentationId, deadlineMs);
  const again = () => {
    const returned = giveBack(claimed, claimed.claim!.gameSessionId, specLimits)!;
    return claimedBy(returned, presentationId, deadlineMs);
  };
  return {
    ...{ issued, claimed, reminded: advance(claimed, 'remind', specLimits, claimed.claim)! },
    ...{ 'claimed again': again(), consumed: consumeOrRepeat(claimed, specLimits)! },
  }[state];
};

const keyOf = ({ tokenHash }: Ott, name: string) => `${ottsPrefix}:{${tokenHash[0]}}:${name}`;
/** All that Redis knows of a token: its record, when that is forgotten, its deadline, and who has its seat. */
const known = async (ott: Ott) => ({
  record: (await redisOtts(redis, specLimits, { packs: true }).read(ott.tokenHash)).record,
  forgottenAtMs: await redis.pexpiretime(keyOf(ott, `record:${ott.tokenHash}`)),
  deadline: await redis.zscore(keyOf(ott, 'deadlines'), ott.tokenHash),
  holder: await redis.hget(keyOf(ott, 'holders'), seatOf(ott)),
});

test('a token that is consumed in one round trip is as the table has it, or nothing is written', async () => {
  const seed = Date.now();
  console.log(`seed ${seed}`);
  const done = new Set<string>();
  const story = async (told: Story): Promise<void> => {
    const { state, memorySec, packs, isSeated, presentation } = told;
    const limits = { ...specLimits, ottMemorySec: memorySec };
    const presentationId = randomUUID();
    const stored = tokenIn(told, presentationId);
    const otts = redisOtts(redis, limits, { packs });
    await otts.update(stored.tokenHash, () => stored, seatOf(stored));
    const newer = isSeated ? stored.tokenHash : hash('a newer one');
    await redis.hset(keyOf(stored, 'holders'), seatOf(stored), newer);
    const { gameSessionId = `gs_${randomUUID()}` } = stored.claim ?? {};
    const before = await known(stored);
    const order = {
      ...{ tokenHash: stored.tokenHash, pcId: stored.pcId, gameSessionId, startedAtMs: Date.now() },
      ...{ presentationId: presentation === 'own' ? presentationId : randomUUID(), gameId: stored.gameId },
      ...{
        cafeId: 'cafe-1',
        launcherSessionId: stored.launcherSessionId,
        isPcCafe: true,
        providerUserId: 'u',
      },
    };

    const after = await redisOtts(redis, limits, { packs: true }).consume(order);

    done.add(`${state}, ${packs ? 'packed' : 'json'}, ${presentation}: ${after?.state ?? 'undecided'}`);
    if (after === undefined) return expect(await known(stored)).toEqual(before);
    const expected = consumeOrRepeat(stored, limits)!;
    expect(after).toEqual(expected);
    expect(await known(stored)).toEqual({
      record: expected,
      forgottenAtMs: expected.deadlineAtMs,
      deadline: null,
      holder: isSeated ? null : newer,
    });
  };
  await fc.assert(fc.asyncProperty(stories, story), { numRuns: 400, seed });

  const consumed = [...done].filter((each) => each.endsWith(': consumed')).sort();
  expect(consumed).toEqual(['claimed, packed, own: consumed', 'reminded, packed, own: consumed']);
});

test('without packed tokens nothing is consumed in one round trip, so that a version before reads what stands there (D-57)', async () => {
  const presentationId = randomUUID();
  const told = { state: 'claimed', memorySec: 600, packs: true, isSeated: true, voids: false } as const;
  const stored = tokenIn({ ...told, presentation: 'own', deadlineMs: undefined }, presentationId);
  const packing = redisOtts(redis, specLimits, { packs: true });
  await packing.update(stored.tokenHash, () => stored, seatOf(stored));
  const { pcId, gameId, tokenHash, cafeId, launcherSessionId } = stored;
  const { gameSessionId } = stored.claim!;
  const order = { ...{ pcId, gameId, tokenHash, cafeId, launcherSessionId, gameSessionId, presentationId } };
  const whole = { ...order, startedAtMs: 1, isPcCafe: true, providerUserId: 'u' };

  expect(await redisOtts(redis, specLimits, { packs: false }).consume(whole)).toBeUndefined();
  expect((await packing.read(tokenHash)).record).toEqual(stored);
});
