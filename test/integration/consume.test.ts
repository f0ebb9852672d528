import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { toWire } from '#libs/contracts/wire.ts';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor, inShardOf } from '#libs/kernel/shards.ts';
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
  /** By whose presentation it is held, where it is: by that of the start, or by another one. */
  heldBy: fc.constantFrom('this', 'this', 'this', 'another'),
  stands: fc.constantFrom('packed', 'packed', 'packed', 'as JSON', 'as both'),
  memorySec: fc.constantFrom(86_400, 86_400, 600),
  isSeated: fc.boolean(),
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

const tokenIn = ({ state, deadlineMs }: Pick<Story, 'state' | 'deadlineMs'>, presentationId: string): Ott => {
  const pcId = `pc_${randomBytes(16).toString('hex')}`;
  const { tokenHash } = inShardOf(pcId, () => ({ tokenHash: hash(randomUUID()) }));
  const asked = { ottRequestId: randomUUID(), replyKey: null, cafeId: 'cafe-1', pcId, gameId: 'starfall' };
  const of = { launcherSessionId: randomUUID(), isPcCafe: true, traceparent: null, tokenHash };
  const issued = mint({ ...asked, ...of }, Date.now() - 1_000, specLimits);
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

/** The order of a start that the token's first presentation led to. */
const orderOf = ({ tokenHash, pcId, gameId, cafeId, launcherSessionId }: Ott, presentationId: string) => ({
  ...{ tokenHash, pcId, gameId, cafeId, launcherSessionId, presentationId },
  gameSessionId: gameSessionIdFor(presentationId, pcId),
  ...{ startedAtMs: Date.now(), isPcCafe: true, providerUserId: 'u' },
});

const keyOf = ({ tokenHash }: Ott, name: string) => `${ottsPrefix}:{${tokenHash[0]}}:${name}`;
/** All that Redis knows of a token: its record, when that is forgotten, its deadline, and who has its seat. */
const known = async (ott: Ott) => ({
  record: (await redisOtts(redis, specLimits, { packs: true }).read(ott.tokenHash)).record,
  forgottenAtMs: await redis.pexpiretime(keyOf(ott, `record:${ott.tokenHash}`)),
  deadline: await redis.zscore(keyOf(ott, 'deadlines'), ott.tokenHash),
  holder: await redis.hget(keyOf(ott, 'holders'), seatOf(ott)),
});

/** Stores a token, whose seat it or a newer one has; returns that one. */
const store = async (ott: Ott, { stands, isSeated }: Pick<Story, 'stands' | 'isSeated'>): Promise<string> => {
  const { tokenHash } = ott;
  const otts = redisOtts(redis, specLimits, { packs: stands !== 'as JSON' });
  await otts.update(tokenHash, () => ott, seatOf(ott));
  if (stands === 'as both')
    await redis.hset(keyOf(ott, `record:${tokenHash}`), 'json', JSON.stringify(toWire(ott)));
  const holder = isSeated ? tokenHash : hash('a newer one');
  await redis.hset(keyOf(ott, 'holders'), seatOf(ott), holder);
  return holder;
};

test('a token that is consumed in one round trip is as the table has it, or nothing is written', async () => {
  const seed = Date.now();
  console.log(`seed ${seed}`);
  const done = new Set<string>();
  const story = async (told: Story): Promise<void> => {
    const { state, heldBy, stands, memorySec, isSeated } = told;
    const presentationId = randomUUID();
    const stored = tokenIn(told, heldBy === 'this' ? presentationId : randomUUID());
    const holder = await store(stored, told);
    const before = await known(stored);
    const limits = { ...specLimits, ottMemorySec: memorySec };

    const after = await redisOtts(redis, limits, { packs: true }).consume(orderOf(stored, presentationId));

    done.add(`${state}, ${stands}, held by ${heldBy}: ${after?.state ?? 'undecided'}`);
    if (after === undefined) {
      expect(await known(stored)).toEqual(before);
      return;
    }
    const expected = consumeOrRepeat(stored, limits)!;
    expect(after).toEqual(expected);
    expect(await known(stored)).toEqual({
      record: expected,
      forgottenAtMs: expected.deadlineAtMs,
      deadline: null,
      holder: isSeated ? null : holder,
    });
  };
  await fc.assert(fc.asyncProperty(stories, story), { numRuns: 400, seed });

  const consumed = [...done].filter((each) => each.endsWith(': consumed')).sort();
  const common = ['claimed, packed, held by this: consumed', 'reminded, packed, held by this: consumed'];
  expect(consumed).toEqual(common);
});

/** A token that waits to be consumed, and the order of its start. */
const claimedToken = async () => {
  const presentationId = randomUUID();
  const stored = tokenIn({ state: 'claimed', deadlineMs: undefined }, presentationId);
  await store(stored, { stands: 'packed', isSeated: true });
  return { stored, order: orderOf(stored, presentationId) };
};

test('without packed tokens nothing is consumed in one round trip, so that a version before reads what stands there (D-57)', async () => {
  const { stored, order } = await claimedToken();

  expect(await redisOtts(redis, specLimits, { packs: false }).consume(order)).toBeUndefined();
  expect((await known(stored)).record).toEqual(stored);
});

test('nothing is consumed in a view that was written on another server (D-24)', async () => {
  const { stored, order } = await claimedToken();
  let lost = 0;
  const trust = { server: () => 'another', lost: () => void (lost += 1) };

  const consumed = redisOtts(redis, specLimits, { packs: true, trust }).consume(order);

  await expect(consumed).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect([lost, (await known(stored)).record]).toEqual([1, stored]);
});
