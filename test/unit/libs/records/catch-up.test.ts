import { EventEmitter } from 'node:events';
import { createHotView } from '#libs/records/hot-view.ts';
import { until } from '../../../support/eventually.ts';

const nothing = () => undefined;
const stalled = async () => Promise.reject(new Error('the log gave nothing for a minute'));
const untilBroken = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

/** A replica, and a Redis whose view is complete on whichever server it is connected to; `attempts` are those at reading the log, in turn. */
const startReplica = async (...attempts: ((signal: AbortSignal) => Promise<void>)[]) => {
  const seen = { read: 0, followed: 0, asked: 0 };
  let server = 'before';
  const complete = async () => {
    seen.asked += 1;
    return [server, 'era'];
  };
  const answers = { hmget: complete, exists: async () => 0, del: async () => 0 };
  const info = async (section: string) =>
    section === 'server' ? `run_id:${server}\n` : `master_replid:own\nmaster_replid2:era\n`;
  const redis = Object.assign(new EventEmitter(), { status: 'ready', info, ...answers });
  const view = createHotView({
    ...{ redis, prefix: 'test', instance: 'one', live: 'expiries', amnestyMs: 0 },
    log: { warn: nothing },
    rebuild: async (signal: AbortSignal) => {
      await attempts[seen.read++]?.(signal);
      return { follow: async () => void (seen.followed += 1) };
    },
  } as never);
  const connect = async (to: string) => {
    const { asked } = seen;
    redis.emit('close');
    server = to;
    redis.emit('ready');
    await until(() => seen.asked > asked, 'the view of the server is asked for');
  };
  await view.start(nothing);
  return { view, seen, connect };
};

test('a log that cannot be read is read again, until what the replica acknowledged on the server of before is where it serves now (D-24)', async () => {
  const { view, seen, connect } = await startReplica(stalled, stalled);

  await connect('now');

  await until(() => seen.followed > 0, 'the log is read, and followed');
  expect(seen.read).toBe(3);
  await view.stop();
});

test('a connection that breaks meanwhile is no reason to leave it: the next one to the same server reads the log', async () => {
  const { view, seen, connect } = await startReplica(untilBroken);
  await connect('now');
  await until(() => seen.read === 1, 'the log is read');

  await connect('now');

  await until(() => seen.followed > 0, 'the log is read, and followed');
  expect(seen.read).toBe(2);
  await connect('now');
  expect(seen.read).toBe(2);
  await view.stop();
});

test('a replica serves while it cannot read the log: the view is what the others serve', async () => {
  const { view, seen, connect } = await startReplica(...Array.from({ length: 100 }, () => stalled));

  await connect('now');

  await until(() => seen.read > 0, 'the log is read');
  expect(view.server()).toBe('now');
  await view.stop();
});

test('a server of before that is back is read for, too, where the log of the one between was not read', async () => {
  const { view, seen, connect } = await startReplica(stalled);
  await connect('between');
  await until(() => seen.read === 1, 'the log is read');

  await connect('before');

  await until(() => seen.followed > 0, 'the log is read, and followed');
  await view.stop();
});
