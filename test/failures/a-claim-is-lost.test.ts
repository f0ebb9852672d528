import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { redisOtts } from '../../services/ott/adapters/redis-otts.ts';
import { eventually } from '../support/eventually.ts';
import { billingOf, newPlayer, theStack } from '../support/suite-stack.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '');
const [otts, sessions] = [
  redisOtts(redis, specLimits, { packs: true }),
  redisSessions(redis, specLimits, { packs: true }),
];
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
afterAll(() => redis.disconnect());

/** Both readers of `billing.started` forget what it told them: the token is claimed again, and no session has begun. */
const forgetTheStart = async (tokenHash: string, gameSessionId: string): Promise<void> => {
  await sessions.update(gameSessionId, () => 'forget');
  await otts.update(
    tokenHash,
    ({ record, nowMs }) =>
      record && {
        ...record,
        ...{ state: 'claimed', version: record.version + 1, deadlineAtMs: nowMs + 15_000 },
      },
  );
};

test('the partner started a billing, and its event never reached the log: the claim is called off, and the billing stopped (I3, D-34)', async () => {
  const stack = await theStack();
  const player = await newPlayer(stack);
  const tokenHash = sha256(player.ott);

  await forgetTheStart(tokenHash, player.id);

  const billing = await eventually(
    async () => {
      // What was on the log within half a minute of the stack's start is restored (D-24).
      await sessions.update(player.id, ({ record }) => record && 'forget');
      return billingOf(stack, player.id);
    },
    (seen) => seen?.status === 'stopped',
    40_000,
  );
  expect(billing).toMatchObject({ play_duration_sec: 0, requests: { stop: 1 } });
  const { record } = await otts.read(tokenHash);
  expect(['issued', 'expired']).toContain(record?.state);
}, 60_000);
