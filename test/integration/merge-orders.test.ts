import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { begin, close } from '../../services/game-session/core/session.ts';
import { redisOtts } from '../../services/ott/adapters/redis-otts.ts';
import { advance, isOver, mint, seatOf } from '../../services/ott/core/ott.ts';
import type { Ott } from '../../services/ott/core/ott.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 15 });
afterAll(() => redis.disconnect());

const numRuns = 300;
const newPc = (): string => `pc_${randomBytes(16).toString('hex')}`;

/** What the servers that knew a record wrote of it, each with versions of its own, in the order in which it is merged. */
const writtenOf = <S extends string>(...states: readonly S[]) =>
  fc.array(fc.record({ state: fc.constantFrom(...states), version: fc.integer({ min: 1, max: 6 }) }), {
    minLength: 1,
    maxLength: 6,
  });
/** In both forms (D-57). */
const packs = fc.boolean();

const checked = async <T>(property: fc.IAsyncProperty<T>): Promise<void> => {
  const seed = Date.now();
  console.log(`seed ${seed}`);
  await fc.assert(property, { numRuns, seed });
};

const tokenStates = (): Record<Ott['state'], Ott> => {
  const pcId = newPc();
  const of = { launcherSessionId: randomUUID(), isPcCafe: true, traceparent: null };
  const asked = { ottRequestId: randomUUID(), replyKey: 'AAAA', cafeId: 'cafe-1', pcId, gameId: 'starfall' };
  const tokenHash = pcId.charAt(3) + randomBytes(32).toString('hex').slice(1);
  const issued = mint({ ...asked, ...of, tokenHash }, Date.now(), specLimits);
  const claim = {
    ...{ presentationId: randomUUID(), gameSessionId: `gs_${randomUUID()}`, providerUserId: 'u1' },
    ...{ claimedAtMs: issued.issuedAtMs, presentedEventId: null, deadlineMs: null },
    outagePolicy: 'continue' as const,
  };
  const claimed = advance(issued, 'claim', specLimits, claim)!;
  const [consumed, expired, voided] = (['consume', 'expire', 'void'] as const).map((trigger) =>
    advance(trigger === 'consume' ? claimed : issued, trigger, specLimits)!,
  ) as [Ott, Ott, Ott];
  return { issued, claimed, consumed, expired, voided };
};

test('a token that the log knows as consumed can never be presented again, whatever else and in whatever order is merged (I1, D-24)', () =>
  checked(
    fc.asyncProperty(
      writtenOf('issued', 'claimed', 'consumed', 'expired', 'voided'),
      packs,
      async (merged, packed) => {
        fc.pre(merged.some(({ state }) => state === 'consumed'));
        const otts = redisOtts(redis, specLimits, { packs: packed });
        const states = tokenStates();

        for (const { state, version } of merged) await otts.restore([{ ...states[state], version }]);

        const { record, holder } = await otts.read(states.issued.tokenHash, seatOf(states.issued));
        expect(record && isOver(record)).toBe(true);
        expect(holder).toBeUndefined();
        expect(
          await redis.pttl(`gsb:ott:{${states.issued.tokenHash[0]}}:record:${states.issued.tokenHash}`),
        ).toBeGreaterThan(0);
      },
    ),
  ));

test('a session that the log knows as ended never plays again, whatever else and in whatever order is merged (I6)', () =>
  checked(
    fc.asyncProperty(writtenOf('active', 'ending', 'ended'), packs, async (merged, packed) => {
      fc.pre(merged.some(({ state }) => state !== 'active'));
      const sessions = redisSessions(redis, specLimits, { packs: packed });
      const pcId = newPc();
      const order = {
        ...{
          pcId,
          presentationId: randomUUID(),
          tokenHash: 'a'.repeat(64),
          cafeId: 'cafe-1',
          isPcCafe: true,
        },
        ...{ gameId: 'starfall', providerUserId: 'u1', launcherSessionId: randomUUID() },
        ...{ gameSessionId: gameSessionIdFor(randomUUID(), pcId), startedAtMs: Date.now() - 10_000 },
      };
      const active = begin({ order, pending: false, remainingSec: 1 }, specLimits);
      const ending = close(active, { reason: 'game_ended', nowMs: Date.now() }, specLimits)!;
      const states = { active, ending, ended: { ...ending, state: 'ended' as const } };

      for (const { state, version } of merged) await sessions.restore([{ ...states[state], version }]);

      expect((await sessions.read(active.gameSessionId)).record?.state).toMatch(/^end/);
      expect(await sessions.holderOf(pcId)).toBeUndefined();
    }),
  ));
