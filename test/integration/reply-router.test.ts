import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { verifyReply } from '#libs/contracts/events/otts.ts';
import { createReplyRouter } from '#libs/messaging/reply-router.ts';
import { createRequest } from '#libs/messaging/request.ts';
import { createLog } from '#libs/runtime/log.ts';
import { delivery } from '../support/delivery.ts';

const log = createLog({ service: 'test', instance: 'test', level: 'error' });
const redis = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true });
const opened: { stop(): Promise<void> }[] = [];

/** The router of a process; the name stays when a container restarts. */
const processNamed = async (instance: string, { clock = Date.now, places = 100 } = {}) => {
  const router = createReplyRouter({ redis, instance, bootId: randomUUID(), clock, log, places });
  opened.push(router);
  await router.start(() => undefined);
  return router;
};

afterAll(async () => {
  await Promise.all(opened.map((each) => each.stop()));
  redis.disconnect();
});

const accepted = { isValid: true as const, gameSessionId: 'gs_1', isPcCafe: true };
const request = (replyTo: string, deadlineMs = Date.now() + 5_000) =>
  delivery({ requestId: 'req_1', replyTo, deadlineMs });

test('a reply reaches the caller that waits in another process', async () => {
  const [asking, answering] = [await processNamed(randomUUID()), await processNamed(randomUUID())];
  const { replyTo, outcome } = asking.expect(Date.now() + 5_000, 'req_1');

  answering.reply(request(replyTo), verifyReply, accepted);

  expect(await outcome).toEqual(accepted);
});

test('a reply for a process that died is heard by nobody in the one that restarted under its name', async () => {
  const name = randomUUID();
  const before = await processNamed(name);
  const { replyTo } = before.expect(Date.now() + 5_000, 'req_1');
  await before.stop();
  const restarted = await processNamed(name);
  const answering = await processNamed(randomUUID());
  const other = restarted.expect(Date.now() + 5_000, 'req_2');

  answering.reply(request(replyTo), verifyReply, accepted);
  const own = { isValid: false as const, reason: 'OTT_EXPIRED' as const };
  answering.reply(request(other.replyTo), verifyReply, own);

  expect(await other.outcome).toEqual(own);
});

test('a reply after the deadline reaches nobody, whatever the clock of the process that sends it says', async () => {
  const [asking, answering] = [await processNamed(randomUUID()), await processNamed(randomUUID())];
  const late = asking.expect(Date.now() - 1, 'req_1');
  const inTime = asking.expect(Date.now() + 5_000, 'req_2');
  expect(await late.outcome).toBeUndefined();

  answering.reply(request(late.replyTo, Date.now() - 1), verifyReply, accepted);
  answering.reply(request(inTime.replyTo, Date.now() - 300_000), verifyReply, accepted);

  expect(await inTime.outcome).toEqual(accepted);
});

test('who finds no room to wait is refused before anything is published for him (D-42)', async () => {
  const asking = await processNamed(randomUUID(), { places: 2 });
  const published: string[] = [];
  const request = createRequest({
    publish: async (name) => void published.push(name),
    replies: asking,
    clock: Date.now,
  });
  const ask = () =>
    request('cafe-check.requested', { checkId: randomUUID(), ip: '203.0.113.10' }, { waitMs: 50 });

  const [one, other, tooMany] = await Promise.allSettled([ask(), ask(), ask()]);

  expect([one, other]).toMatchObject([{ value: undefined }, { value: undefined }]);
  expect(tooMany).toMatchObject({ reason: { code: 'UNAVAILABLE', details: { retryAfterSec: 1 } } });
  expect(published).toHaveLength(2);
  await ask();
  expect(published).toHaveLength(3);
});
