import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { inShardOf } from '#libs/kernel/shards.ts';
import { redisAnswered } from '../../services/ott/adapters/redis-answered.ts';
import { redisOtts } from '../../services/ott/adapters/redis-otts.ts';
import { advance, mint, seatOf, takeSeat } from '../../services/ott/core/ott.ts';
import type { Ott } from '../../services/ott/core/ott.ts';
import type { Ports } from '../../services/ott/ports.ts';
import { rebuildHotView } from '../../services/ott/usecases/rebuild-hot-view.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 15 });
afterAll(() => redis.disconnect());

const otts = redisOtts(redis, specLimits, { packs: true });
const pcId = `pc_${randomBytes(16).toString('hex')}`;
const newToken = (): Ott => {
  const { tokenHash } = inShardOf(pcId, () => ({
    tokenHash: createHash('sha256').update(randomUUID()).digest('hex'),
  }));
  const asked = { ottRequestId: randomUUID(), replyKey: 'AAAA', cafeId: 'cafe-1', pcId, gameId: 'starfall' };
  const of = { launcherSessionId: randomUUID(), isPcCafe: true, traceparent: null };
  return mint({ ...asked, ...of, tokenHash }, Date.now(), specLimits);
};
const issue = (token: Ott) =>
  otts.update(token.tokenHash, ({ seated }) => takeSeat(token, seated, specLimits), seatOf(token));

/** A log of one or more partitions, whose batches come in this order. */
const logOf = (...partitions: readonly (readonly (readonly Ott[])[])[]): Ports['recentLog'] => {
  const deliver = async (on: (known: readonly Ott[]) => Promise<void>, all = partitions.flat()) => {
    for (const batch of all) await on(batch);
  };
  return {
    open: (_signal, use) =>
      use({
        groups: new Map(partitions.map((_, at) => [`${at}`, [`otts#${at}`]])),
        ends: new Map(partitions.map((_, at) => [`otts#${at}`, 1])),
        otts: (parts, on) => deliver(on, partitions.filter((_, at) => parts.includes(`otts#${at}`)).flat()),
      }),
    behind: async (ends, _signal, on) => {
      await deliver(on);
      return ends;
    },
  };
};
const alone = {
  each: async (parts: readonly string[], work: (part: string) => Promise<Record<string, number>>) => {
    const done = new Map<string, Record<string, number>>();
    for (const part of parts) done.set(part, await work(part));
    return done;
  },
};

const stateOf = async ({ tokenHash }: Ott) => (await otts.read(tokenHash)).record?.state;

test.each(['rebuilt', 'rebuilt of two partitions', 'followed'])(
  'the log is %s into a view that still has an earlier token: the one that voided it has the seat, and is voided by the next (D-58)',
  async (how) => {
    const [earlier, current, next] = [newToken(), newToken(), newToken()];
    await issue(earlier);
    const voided = advance(earlier, 'void', specLimits)!;
    const newestFirst =
      how === 'rebuilt of two partitions' ? logOf([[current]], [[voided]]) : logOf([[current], [voided]]);
    const ports = { otts, recentLog: newestFirst };
    const { signal } = new AbortController();

    if (how !== 'followed') await rebuildHotView(ports)(signal, alone);
    else {
      const recentLog = { ...newestFirst, open: logOf().open };
      await (await rebuildHotView({ otts, recentLog })(signal, alone)).follow(signal);
    }
    await issue(next);

    expect(await Promise.all([earlier, current, next].map(stateOf))).toEqual(['voided', 'voided', 'issued']);
  },
);

test('what the log knows as consumed is consumed, though the claim was called off meanwhile, before and after it comes (I1, D-24)', async () => {
  const token = newToken();
  const claim = {
    ...{ presentationId: randomUUID(), gameSessionId: `gs_${randomUUID()}`, providerUserId: 'u1' },
    ...{
      claimedAtMs: Date.now(),
      presentedEventId: null,
      deadlineMs: null,
      outagePolicy: 'continue' as const,
    },
  };
  const claimed = advance(token, 'claim', specLimits, claim)!;
  const consumed = advance(claimed, 'consume', specLimits)!;
  const calledOff = advance(claimed, 'remind', specLimits, claim)!;
  expect(calledOff.version).toBe(consumed.version);

  await otts.restore([calledOff]);
  await otts.restore([consumed]);
  expect(await stateOf(token)).toBe('consumed');
  // Who has read the claim commits nothing over it.
  expect((await otts.read(token.tokenHash)).record?.version).toBe(calledOff.version + 1);

  await otts.restore([advance(calledOff, 'remind', specLimits, claim)!]);
  expect(await stateOf(token)).toBe('consumed');
  expect(await otts.due(500)).not.toContain(token.tokenHash);
});

test('a presentation that was answered is known by its token and its event, for as long as a token may be presented (D-03)', async () => {
  const answered = redisAnswered(redis, specLimits);
  const [{ tokenHash }, eventId] = [newToken(), randomUUID()];

  await answered.remember(tokenHash, eventId);

  expect(await answered.has(tokenHash, eventId)).toBe(true);
  expect(await answered.has(tokenHash, randomUUID())).toBe(false);
  expect(await answered.has(newToken().tokenHash, eventId)).toBe(false);
  expect(await redis.ttl(`gsb:ott:answered:${tokenHash}:${eventId}`)).toBeGreaterThan(
    specLimits.ottTtlSec - 5,
  );
});
