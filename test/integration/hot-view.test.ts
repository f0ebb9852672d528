import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import type { Rebuild } from '#libs/records/follow-rebuild.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { redisSessions } from '../../services/game-session/adapters/redis-sessions.ts';
import { oneLivePerPc } from '../../services/game-session/core/seats.ts';
import { begin, close as closeSession } from '../../services/game-session/core/session.ts';
import { eventually } from '../support/eventually.ts';

const redis = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true });
const common = {
  ...{ live: 'expiries' as const, amnestyMs: 0 },
  log: createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined),
  metrics: createMetrics('test'),
};
const view = createHotView({
  ...common,
  redis,
  prefix: `test-${randomUUID()}`,
  instance: 'test',
  rebuild: async () => ({ follow: async () => undefined }),
});

const sessionAt = (pcId: string, startedAtMs: number) => {
  const order = {
    ...{ pcId, presentationId: randomUUID(), tokenHash: 'a'.repeat(64), cafeId: 'cafe-1', isPcCafe: true },
    ...{ gameId: 'starfall', providerUserId: 'u1', launcherSessionId: randomUUID(), startedAtMs },
    gameSessionId: gameSessionIdFor(randomUUID(), pcId),
  };
  return begin({ order, pending: false, remainingSec: 1 }, specLimits);
};

const serverOf = () => {
  try {
    return view.server();
  } catch {
    return undefined;
  }
};

afterAll(async () => {
  await view.stop();
  redis.disconnect();
});

test('a server that told its run id too late once is asked again: the view does not stay unavailable', async () => {
  await redis.connect();
  const info = redis.info.bind(redis);
  let asked = 0;
  redis.info = (async (section: 'server') => {
    asked += 1;
    if (asked <= 2) throw new Error('Command timed out');
    return info(section);
  }) as typeof redis.info;
  await view.start(() => undefined);

  expect(
    await eventually(
      async () => serverOf(),
      (server) => server !== undefined,
    ),
  ).toMatch(/^[0-9a-f]{40}$/);
});

describe('replicas that rebuild together', () => {
  const parts = Array.from({ length: 12 }, (_, at) => `part ${at}`);

  /** Replicas on one Redis; `work` is called for each part that a replica takes, and `followed` counts what comes after. */
  const replicas = async (
    names: readonly string[],
    work: (part: string, replica: string) => Promise<void>,
    prefix = `test-${randomUUID()}`,
  ) => {
    let followed = 0;
    const views = names.map((instance) => {
      const client = new Redis(process.env['REDIS_URL'] ?? '', { lazyConnect: true });
      const rebuild: Rebuild = async (_, shared) => {
        await shared.each(parts, async (part) => {
          await work(part, instance);
          return {};
        });
        return { follow: async () => void (followed += 1) };
      };
      return { client, view: createHotView({ ...common, redis: client, prefix, instance, rebuild }) };
    });
    await Promise.all(views.map(({ client }) => client.connect()));
    await Promise.all(views.map((each) => each.view.start(() => undefined)));
    const close = async () => {
      await Promise.all(views.map((each) => each.view.stop()));
      for (const { client } of views) client.disconnect();
    };
    const reconnect = () => {
      for (const { client } of views) client.disconnect(true);
    };
    return { prefix, followed: () => followed, reconnect, close };
  };

  test('do each part once, all of them a share, and follow the log for a while after', async () => {
    const done: [string, string][] = [];
    const both = Promise.withResolvers<undefined>();
    const { prefix, followed, close } = await replicas(['a', 'b'], async (part, replica) => {
      done.push([part, replica]);
      if (new Set(done.map(([, by]) => by)).size === 2) both.resolve(undefined);
      await both.promise;
    });

    expect(done.map(([part]) => part).toSorted()).toEqual(parts.toSorted());
    expect(new Set(done.map(([, replica]) => replica))).toEqual(new Set(['a', 'b']));
    const watch = await redis.hgetall(`${prefix}:{0}:watch`);
    expect(Object.keys(watch)).toContain('view');
    await eventually(
      async () => followed(),
      (times) => times > 0,
    );
    await close();
  });

  test('follow the log also when the connection broke after the rebuild', async () => {
    const { followed, reconnect, close } = await replicas(['a'], async () => undefined);
    const before = followed();

    reconnect();

    await eventually(
      async () => followed(),
      (times) => times > before,
    );
    await close();
  });

  test('and die before they have followed the log: who starts then reads it', async () => {
    const prefix = `test-${randomUUID()}`;
    const dead = await replicas(['a'], async () => undefined, prefix);
    await dead.close();

    const { followed, close } = await replicas(['a'], async () => undefined, prefix);

    await eventually(
      async () => followed(),
      (times) => times > 0,
    );
    await close();
  });

  test('go on with the parts of one that failed', async () => {
    const done: string[] = [];
    let failures = 0;
    const failed = Promise.withResolvers<undefined>();
    const { close } = await replicas(['a', 'b'], async (part, replica) => {
      if (replica === 'a') {
        failures += 1;
        failed.resolve(undefined);
        throw new Error('the log gave nothing for a minute');
      }
      await failed.promise;
      done.push(part);
    });

    expect(failures).toBeGreaterThan(0);
    expect(done.toSorted()).toEqual(parts.toSorted());
    await close();
  });
});

test.each(['ended before', 'ends after', 'ends with the version of'])(
  'a session that %s what a lost server wrote last does not play again when that is merged, and what it replaces had a lower version (I6)',
  async (order) => {
    const sessions = redisSessions(redis, specLimits, { packs: true });
    const playing = sessionAt(`pc_${randomBytes(16).toString('hex')}`, Date.now() - 10_000);
    const closing = closeSession(playing, { reason: 'game_ended', nowMs: Date.now() }, specLimits)!;
    const late = { ...playing, version: closing.version + (order.includes('version') ? 0 : 2) };

    for (const each of order === 'ended before' ? [closing, late] : [late, closing])
      await sessions.restore([each]);

    const { record } = await sessions.read(playing.gameSessionId);
    const version = order === 'ended before' ? closing.version : late.version + 1;
    expect(record).toMatchObject({ state: 'ending', version });
    expect(await sessions.holderOf(playing.pcId)).toBeUndefined();
  },
);

test('of two sessions that the log knows as live at one PC the later one plays, in whatever order they are restored (I2)', async () => {
  const sessions = redisSessions(redis, specLimits, { packs: true });
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const pcId = `pc_${randomBytes(16).toString('hex')}`;
    const both = [10_000, 5_000].map((ago) => sessionAt(pcId, Date.now() - ago));
    for (const at of order) await sessions.restore([both[at]!]);

    await sessions.settleContests((contested) => oneLivePerPc(contested, specLimits));

    const [earlier, later] = await Promise.all(both.map(({ gameSessionId }) => sessions.read(gameSessionId)));
    expect([earlier?.record?.endReason, later?.record?.state]).toEqual(['replaced', 'active']);
    expect(await sessions.holderOf(pcId)).toBe(both[1]?.gameSessionId);
  }
});

test('what launchers did comes back with the view, unless something newer is known', async () => {
  const sessions = redisSessions(redis, specLimits, { packs: true });
  const [pcId, other] = [0, 1].map(() => `pc_${randomBytes(16).toString('hex')}`) as [string, string];
  const change = (what: 'lapsed' | 'started', atMs: number) => ({
    change: what,
    launcherSessionId: randomUUID(),
    atMs,
  });
  const [lapsed, started] = [change('lapsed', Date.now() - 2_000), change('started', Date.now() - 1_000)];
  await sessions.restore([sessionAt(other, Date.now())]);
  await sessions.noteLauncher(other, started);

  await sessions.restoreLaunchers([
    [pcId, lapsed],
    [other, lapsed],
  ]);

  const of = async (pc: string) => {
    const session = sessionAt(pc, Date.now());
    await sessions.restore([session]);
    return (await sessions.read(session.gameSessionId)).launcher;
  };
  expect([await of(pcId), await of(other)]).toEqual([lapsed, { ...started, launcherSessionId: undefined }]);
});
