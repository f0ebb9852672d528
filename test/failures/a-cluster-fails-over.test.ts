import { Redis } from 'ioredis';
import { runCommand } from '../../deploy/local/faults/commands.ts';
import { eventually, patiently, until } from '../support/eventually.ts';
import { inEveryBookOnce, visitDuring } from '../support/keep-visiting.ts';
import type { FailedCall } from '../support/keep-visiting.ts';
import { useManyStack } from '../support/own-stack.ts';
import { beat, seatPlayers } from '../support/seat-players.ts';
import { notBySilence, silencesDuring } from '../support/silences.ts';
import { newPlayer } from '../support/suite-stack.ts';

const recoveryMs = 30_000;
const testMs = 120_000;

const own = useManyStack({}, 'cluster');
const facts = () => own.stack.facts();
const fault = (line: string) => runCommand(own.stack.faults, line);

/** What callers may be told while a server of the cluster is away or a slot is elsewhere, and nothing else. */
const isOutage = ({ status }: FailedCall): boolean => status === 503;

/** So many visits while all is well, and what failed of them by more than the silence of somebody who had no core. */
const wellVisited = async (count: number) => {
  const visiting = () =>
    visitDuring(facts(), 3, async ({ played }) => {
      await until(() => played.length >= count, 'visits', recoveryMs);
    });
  const { done, silences } = await silencesDuring(facts(), visiting);
  return { played: done.played, failed: notBySilence(done.failed, silences) };
};

test(
  'whole visits are played on a Redis Cluster, and every shard of the sessions is on the server that has its slot',
  async () => {
    const visits = await wellVisited(12);

    expect(visits.failed).toEqual([]);
    for (const visit of visits.played) await inEveryBookOnce(facts(), visit);
    const sizes = (await own.stack.redis.primaries()).map(async (url) => {
      const redis = new Redis(url);
      return redis.dbsize().finally(() => redis.disconnect());
    });
    expect((await Promise.all(sizes)).filter((size) => size === 0)).toEqual([]);
  },
  testMs,
);

test(
  'a primary of the cluster dies and a replica that is behind takes over: every session plays on, and is billed as it was played (D-51)',
  async () => {
    const { name } = await own.stack.redis.primary();
    const replica = await own.stack.redis.replica();
    const early = await seatPlayers(facts(), 12);
    await fault(`blackhole ${name} for ${replica}`);
    const late = await seatPlayers(facts(), 12);
    const players = [...early, ...late];

    await fault(`kill ${name}`);
    await until(
      async () => (await own.stack.redis.primary()).name === replica,
      'another primary',
      recoveryMs,
    );
    const beats = await Promise.all(
      players.map((player) =>
        eventually(
          () => beat(player),
          ({ status }) => status !== 503,
          recoveryMs,
        ),
      ),
    );
    await fault(`pass ${name}`);
    await fault(`start ${name}`);
    // For some moments it says that the slots are its own still, and whoever asks it is told to wait.
    await until(async () => (await own.stack.redis.replica()) === name, 'it follows', recoveryMs);

    expect(beats.map(({ status, ok }) => (ok ? 'OK' : status))).toEqual(players.map(() => 'OK'));
    // Who went by what it said hears MOVED, and asks for the slots again. Then replies come to both replicas of game-session, wherever they
    // had subscribed before.
    await eventually(
      () => wellVisited(6),
      ({ failed }) => failed.length === 0,
      recoveryMs,
    );
    for (const { server, id, user } of players) {
      const ended = await server.end(id);
      if (!ended.ok) throw new Error(`not ended: ${JSON.stringify(ended)}`);
      await inEveryBookOnce(facts(), { id, user, seconds: ended.data.playDurationSec });
    }
  },
  testMs,
);

/** Connections to all primaries by their node ids, while something is done. */
const withPrimaries = async (work: (primaries: ReadonlyMap<string, Redis>) => Promise<void>) => {
  const open = (await own.stack.redis.primaries()).map((url) => new Redis(url));
  try {
    const ids = await Promise.all(open.map((redis) => redis.call('CLUSTER', 'MYID') as Promise<string>));
    await work(new Map(open.map((redis, at) => [ids[at]!, redis])));
  } finally {
    for (const redis of open) redis.disconnect();
  }
};

/** Moves a slot with its keys, as `redis-cli --cluster reshard` does. */
const moveSlot = async (slot: number, from: [string, Redis], to: [string, Redis], all: readonly Redis[]) => {
  await to[1].call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from[0]);
  await from[1].call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to[0]);
  const { port } = to[1].options;
  for (;;) {
    const keys = (await from[1].call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
    if (keys.length === 0) break;
    await from[1].call('MIGRATE', '127.0.0.1', port!, '', 0, 5_000, 'KEYS', ...keys);
  }
  for (const each of [to[1], from[1], ...all]) await each.call('CLUSTER', 'SETSLOT', slot, 'NODE', to[0]);
};

test(
  'slots with sessions move to another server while players play: some are told 503, and no session is lost',
  async () => {
    const player = await patiently(() => newPlayer(facts()));
    const visits = await visitDuring(facts(), 3, async ({ played }) => {
      await until(() => played.length >= 3, 'visits', recoveryMs);
      await withPrimaries(async (primaries) => {
        const [from, to] = [...primaries];
        const used = await from![1].keys('gsb:game-session:{*}:watch');
        expect(used.length).toBeGreaterThan(0);
        for (const key of used) {
          const slot = (await from![1].call('CLUSTER', 'KEYSLOT', key)) as number;
          await moveSlot(slot, from!, to!, [...primaries.values()]);
        }
      });
      const before = played.length;
      await until(() => played.length >= before + 6, 'visits after the move', recoveryMs);
    });

    expect(visits.failed.filter((failure) => !isOutage(failure))).toEqual([]);
    expect(await beat(player)).toMatchObject({ ok: true, data: { result: 'OK' } });
    for (const visit of visits.played) await inEveryBookOnce(facts(), visit);
  },
  testMs,
);
