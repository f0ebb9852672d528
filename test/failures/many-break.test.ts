import { randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { serviceNames } from '#libs/contracts/topics.ts';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import { runCommand } from '../../deploy/local/faults/commands.ts';
import type { LinkFault } from '../../deploy/local/faults/link-connection.ts';
import { eventually, patiently, until } from '../support/eventually.ts';
import { useManyStack } from '../support/own-stack.ts';
import { beat } from '../support/seat-players.ts';
import { billingOf, billings, newOtt, newPc, newPlayer } from '../support/suite-stack.ts';

/** Longer than it takes until everything works again. */
const recoveryMs = 30_000;
const testMs = 90_000;
/** Pools of connections breathe: so many more sockets of all services together are no leak. */
const spareSockets = 15;

/** Tokens outlive the failover of Redis. */
const own = useManyStack({ OTT_TTL_SEC: '60' });
const facts = () => own.stack.facts();
const fault = (line: string) => runCommand(own.stack.faults, line);

type Player = Awaited<ReturnType<typeof newPlayer>>;

/** A game server that notes what a 503 says about when to try again. */
const notingServer = () => {
  const retryAfter: (string | null)[] = [];
  const via: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (response.status === 503) retryAfter.push(response.headers.get('Retry-After'));
    return response;
  };
  const { url, games } = facts().game;
  return { server: createGameServer({ url, apiKey: games[0]!.api_keys[0]!, via }), retryAfter };
};

/** What a launcher's start is answered; undefined where the proxy answered instead, because it has seen no replica ready. */
const startOrNothing = () =>
  newPc(facts())
    .start()
    .catch(() => undefined);

const untilPlayersPlay = (): Promise<Player> => patiently(() => newPlayer(facts()));

/** Ends play, again after a 503, which ends nothing; resolves when the partner has the seconds of the answer. */
const leave = async ({ server, id }: Player): Promise<number> => {
  const isTaken = ({ status }: { status: number }) => status !== 503;
  const ended = await eventually(() => server.end(id), isTaken, recoveryMs);
  if (!ended.ok) throw new Error(`the end was not accepted: ${JSON.stringify(ended)}`);
  const { playDurationSec } = ended.data;
  await eventually(
    async () => (await billingOf(facts(), id))?.play_duration_sec,
    (seconds) => seconds === playDurationSec,
    recoveryMs,
  );
  return playDurationSec;
};

test(
  'the primary of Redis dies during verifies and a replica that is behind takes over: no token begins two sessions, and a 503 says when to try again',
  async () => {
    const { server, retryAfter } = notingServer();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => patiently(() => newOtt(facts()))));
    const users = tokens.map(() => `player-${randomUUID()}`);
    const { name } = await own.stack.redis.primary();
    const verify = (user: string, at: number) => server.verify(tokens[at]!.ott, user);

    await fault('blackhole redis-primary for redis-replica');
    const during = users.map(verify);
    await fault('kill redis-primary');
    const first = await Promise.all(during);
    await until(async () => (await own.stack.redis.primary()).name !== name, 'another primary', recoveryMs);
    await fault(`pass ${name}`);
    await fault(`start ${name}`);
    const second = await Promise.all(
      users.map((user, at) =>
        eventually(
          () => verify(`${user}-again`, at),
          ({ ok }) => ok,
          recoveryMs,
        ),
      ),
    );

    const begun = users.map((_, at) =>
      [first[at], second[at]].filter((each) => each?.ok && each.data.isValid),
    );
    expect(begun.filter((sessions) => sessions.length > 1)).toEqual([]);
    const all = await billings(facts());
    const running = users.map((user) =>
      all.filter(({ provider_user_id: of, status }) => of.startsWith(user) && status === 'started'),
    );
    expect(running.filter((each) => each.length > 1)).toEqual([]);
    expect(first.filter(({ ok, status }) => !ok && status !== 503)).toEqual([]);
    expect(retryAfter.filter((value) => !(Number(value) > 0))).toEqual([]);
  },
  testMs,
);

test(
  'more than five minutes off on any one service: whole visits are billed as they were played, and only the gateway refuses what was signed at another time',
  async () => {
    if (!own.stack.faults.canSkew) return;
    const launchersClock = { signs: { ok: true }, late: { ok: false, status: 401 } };
    const seated = await untilPlayersPlay();
    let wrong: string[] = [];
    for (const [at, service] of serviceNames.entries()) {
      const right = wrong.map((replica) => `skew ${replica} 0s`);
      wrong = [`${service}-1`, `${service}-2`];
      const next = wrong.map((replica) => `skew ${replica} ${at % 2 === 0 ? '+' : '-'}310s`);

      await Promise.all([...right, ...next].map(fault));
      const started = await eventually(
        startOrNothing,
        (answer) => answer !== undefined && answer.status !== 503,
        recoveryMs,
      );

      const isGateway = service === 'launcher-gateway';
      expect(started).toMatchObject(isGateway ? launchersClock.late : launchersClock.signs);
      const player = isGateway ? seated : await untilPlayersPlay();
      expect(await beat(player)).toMatchObject({ ok: true, data: { result: 'OK' } });
      expect(await leave(player)).toBeLessThan(60);
    }
    await Promise.all(wrong.map((replica) => fault(`skew ${replica} 0s`)));
  },
  2 * testMs,
);

test(
  'an event loop that stands still for five seconds is left by callers, is not started again, and does nothing twice afterwards',
  async () => {
    const players = await Promise.all(Array.from({ length: 6 }, untilPlayersPlay));
    const pid = () => own.stack.service('game-session-1').pid();
    const before = pid();
    const stalledUntil = performance.now() + 5_000;

    await fault('stop game-session-1');
    const beats = async () => (await beat(players[0]!).catch(() => ({ ok: false }))).ok;
    await until(beats, 'a heartbeat by the other replica', recoveryMs);
    const ends = players.map(async (player) => {
      const ended = await eventually(
        () => player.server.end(player.id).catch(() => undefined),
        (answer) => answer !== undefined && (answer.ok || answer.code === 'ALREADY_ENDED'),
        recoveryMs,
      );
      return ended?.ok ? ended.data.playDurationSec : undefined;
    });
    await until(() => performance.now() > stalledUntil, 'five seconds');
    await fault('continue game-session-1');
    const seconds = await Promise.all(ends);

    expect(pid()).toBe(before);
    for (const [at, { id, user }] of players.entries()) {
      const stopped = await eventually(
        () => billingOf(facts(), id),
        (billing) => billing?.status === 'stopped',
        recoveryMs,
      );
      if (seconds[at] !== undefined) expect(stopped?.play_duration_sec).toBe(seconds[at]);
      expect((await billings(facts())).filter(({ provider_user_id: of }) => of === user)).toHaveLength(1);
    }
  },
  testMs,
);

const isSocket = (fd: string): boolean => {
  try {
    return readlinkSync(fd).startsWith('socket:');
  } catch {
    return false;
  }
};

/** How many sockets the services have open, in all. */
const openSockets = (): number =>
  facts()
    .processes.flatMap(({ pid }) => readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`))
    .filter((fd) => isSocket(fd)).length;

test.each<[string, LinkFault]>([
  ['carries every byte 200 ms late', { mode: 'delay', ms: 200 }],
  ['carries every byte 2 s late', { mode: 'delay', ms: 2_000 }],
  ['loses 5 % of what is sent', { mode: 'lose', percent: 5, ms: 200 }],
  ['closes 5 s late', { mode: 'linger', ms: 5_000 }],
])(
  'every link %s: each call is answered within its deadline, and all works again afterwards, with no more sockets than before',
  async (_, bad) => {
    const player = await untilPlayersPlay();
    const links = own.stack.links.all();
    const socketsBefore = openSockets();

    for (const link of links) link.set(bad);
    const answers = [await beat(player), await player.server.verify('gsbo_none', 'nobody')];
    for (const link of links) link.set({ mode: 'pass' });

    for (const { ok, status, tookMs } of answers) {
      expect(ok || status === 503 || status === 400).toBe(true);
      expect(tookMs).toBeLessThan(10_000);
    }
    await leave(await untilPlayersPlay());
    await eventually(
      () => beat(player).catch(() => ({ ok: false })),
      ({ ok }) => ok,
      recoveryMs,
    );
    await leave(player);
    await until(() => openSockets() <= socketsBefore + spareSockets, 'sockets to be closed', recoveryMs);
  },
  testMs,
);

test(
  'every connection is half-open: what is asked on it fails in time, and new ones are made',
  async () => {
    const player = await untilPlayersPlay();

    for (const link of own.stack.links.all()) link.halfOpen();

    await eventually(
      () => beat(player).catch(() => ({ ok: false })),
      ({ ok }) => ok,
      recoveryMs,
    );
    await leave(await untilPlayersPlay());
    await leave(player);
  },
  testMs,
);
