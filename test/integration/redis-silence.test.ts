import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { connectRedis } from '#libs/redis/connection.ts';
import { createReplyRouter } from '#libs/messaging/reply-router.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { createLinks } from '../../deploy/local/faults/links.ts';
import { busyFor } from '../support/busy-for.ts';
import { eventually, until } from '../support/eventually.ts';

const links = createLinks(() => []);
const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
const metrics = createMetrics('test');
const address = new URL(process.env['REDIS_URL'] ?? '');
const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});
afterAll(() => links.close());

/** A Redis client through a link whose server can go away without a word. */
const throughLink = async () => {
  const link = await links.open(randomUUID(), Number(address.port));
  const url = Object.assign(new URL(address), { port: link.port }).href;
  const redis = connectRedis({ server: { mode: 'single', url }, log, metrics });
  running.push(redis);
  await redis.start(() => undefined);
  return { link, ...redis };
};
const answers = (ping: () => Promise<unknown>) =>
  ping().then(
    () => true,
    () => false,
  );

test('a Redis whose host died without a word is connected to anew within five seconds', async () => {
  const { link, client } = await throughLink();
  await client.ping();
  const began = performance.now();
  link.halfOpen();

  expect(await answers(() => client.get('a'))).toBe(false);
  await eventually(
    () => answers(() => client.get('a')),
    (is) => is,
  );

  expect(performance.now() - began).toBeLessThan(5_000);
});

test('so is the subscription to replies, which sends nothing by itself', async () => {
  const [here, there] = [await throughLink(), await throughLink()];
  const router = (redis: typeof here.client, instance: string) =>
    createReplyRouter({ redis, instance, bootId: randomUUID(), clock: Date.now, log });
  const [waits, replies] = [router(here.client, 'waits'), router(there.client, 'replies')];
  running.push(waits);
  await waits.start(() => undefined);
  here.link.halfOpen();

  const replied = async (): Promise<unknown> => {
    const { replyTo, outcome } = waits.expect(Date.now() + 500);
    replies.reply({ request: { requestId: 'r', replyTo } }, z.string(), 'yes');
    return outcome;
  };
  expect(await eventually(replied, (outcome) => outcome === 'yes', 8_000)).toBe('yes');
});

test('an answer that came while we were busy for longer than a command may take is taken', async () => {
  const redis = connectRedis({ server: { mode: 'single', url: address.href }, log, metrics });
  running.push(redis);
  await redis.start(() => undefined);

  /** Whether a command that is asked while we are busy is answered; one for which we were so for longer than meant says nothing. */
  const whileBusy = async () => {
    await until(() => answers(() => redis.client.ping()), 'Redis is there');
    const askedAt = performance.now();
    const answered = answers(() => redis.client.ping());
    // Longer than a command is excused, and shorter than a socket may be silent.
    await new Promise(setImmediate);
    busyFor(1_100);
    return { busyMs: performance.now() - askedAt, isAnswered: await answered };
  };

  const meant = await eventually(whileBusy, ({ busyMs }) => busyMs < 1_800);
  expect(meant.isAnswered).toBe(true);
});
