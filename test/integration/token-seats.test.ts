import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { inShardOf } from '#libs/kernel/shards.ts';
import { redisOtts } from '../../services/ott/adapters/redis-otts.ts';
import { advance, mint, seatOf, takeSeat } from '../../services/ott/core/ott.ts';
import type { Ott } from '../../services/ott/core/ott.ts';
import type { Ports } from '../../services/ott/ports.ts';
import { rebuildHotView } from '../../services/ott/usecases/rebuild-hot-view.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { db: 15 });
afterAll(() => redis.disconnect());

const otts = redisOtts(redis, { packs: true });
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

/** A log whose batches come in this order. */
const logOf = (batches: readonly (readonly Ott[])[]): Ports['recentLog'] => {
  const deliver = async (on: (known: readonly Ott[]) => Promise<void>) => {
    for (const batch of batches) await on(batch);
  };
  return {
    open: (_signal, use) =>
      use({ parts: ['0'], ends: new Map([['0', 1]]), otts: (_parts, on) => deliver(on) }),
    behind: async (ends, _signal, on) => {
      await deliver(on);
      return ends;
    },
  };
};
const alone = {
  each: async (parts: readonly string[], work: (part: string) => Promise<Record<string, number>>) =>
    new Map(await Promise.all(parts.map(async (part) => [part, await work(part)] as const))),
};

test.each(['rebuilt', 'followed'])(
  'the log is %s into a view that still has an earlier token: the one that voided it has the seat, and is voided by the next (D-58)',
  async (how) => {
    const [earlier, current, next] = [newToken(), newToken(), newToken()];
    await issue(earlier);
    const voided = advance(earlier, 'void', specLimits)!;
    const newestFirst = logOf([[current], [voided]]);
    const ports = { otts, recentLog: newestFirst };
    const { signal } = new AbortController();

    if (how === 'rebuilt') await rebuildHotView(ports)(signal, alone);
    else {
      const recentLog = { ...newestFirst, open: logOf([]).open };
      await (await rebuildHotView({ otts, recentLog })(signal, alone)).follow(signal);
    }
    await issue(next);

    const stateOf = async ({ tokenHash }: Ott) => (await otts.read(tokenHash)).record?.state;
    expect(await Promise.all([earlier, current, next].map(stateOf))).toEqual(['voided', 'voided', 'issued']);
  },
);
