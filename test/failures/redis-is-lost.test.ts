import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually, patiently } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { beat, seatPlayers } from '../support/seat-players.ts';
import type { Player } from '../support/seat-players.ts';
import { billings, gameServerOf, newOtt, newPlayer } from '../support/suite-stack.ts';

const own = useOwnStack();

const redisData = () => join(own.dir, 'redis');
const emptied = () => rmSync(join(redisData(), 'appendonlydir'), { recursive: true, force: true });

const killAndRestart = async (meanwhile: () => void): Promise<void> => {
  await own.stack.redis.kill();
  meanwhile();
  await own.stack.redis.restart();
};

/** Every answer that a player's heartbeats hear until one is OK. */
const statusesUntilOk = async (player: Player): Promise<number[]> => {
  const statuses: number[] = [];
  await eventually(
    async () => {
      const answer = await beat(player);
      statuses.push(answer.ok ? 200 : answer.status);
      return answer.ok;
    },
    (ok) => ok,
    20_000,
  );
  return statuses;
};

/** The version of a session's record in Redis; 0 without one. */
const versionOf = async ({ id }: Player): Promise<number> => {
  const redis = new Redis(own.stack.facts().redis.url);
  const version = await redis.hget(`gsb:game-session:{${id[3]}}:record:${id}`, 'V');
  redis.disconnect();
  return Number(version ?? 0);
};

test('Redis killed and started empty under players: the view comes back from the log, and nobody hears 404 (D-24)', async () => {
  const facts = own.stack.facts();
  const players = await seatPlayers(facts, 20);
  const [first, second] = players as [Player, Player];
  const silent = players.slice(10);
  await Promise.all(players.map(beat));
  const before = await Promise.all(silent.map(versionOf));
  const gone = await newPlayer(facts);
  await gone.server.end(gone.id);

  const beating = players.slice(0, 10);
  const playing = beating.map(statusesUntilOk);
  await killAndRestart(emptied);
  const heard = (await Promise.all([...playing, ...beating.map(statusesUntilOk)])).flat();
  const restored = await Promise.all(silent.map(versionOf));
  const statuses = [...heard, ...(await Promise.all(silent.map(statusesUntilOk))).flat()];

  expect(before.every((version) => version > 1)).toBe(true);
  expect(restored.map((version, at) => version >= before[at]!)).toEqual(before.map(() => true));
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(await first.server.verify(first.ott, first.user)).toMatchObject({
    data: { isValid: false, reason: 'OTT_ALREADY_USED' },
  });
  expect(await gone.server.heartbeat(gone.id, gone.user)).toMatchObject({ ok: false, status: 410 });
  expect(await second.server.end(second.id)).toMatchObject({ data: { result: 'SUCCESS' } });
}, 90_000);

test('the seats come back too: a new game on the PC of a session from before replaces it (I2)', async () => {
  const facts = own.stack.facts();
  // Who signs in the second of a loss signs again (D-44), as of the one before.
  const { pc, server, id, user } = await patiently(() => newPlayer(facts));

  await killAndRestart(emptied);
  const { ott } = await eventually(
    () => newOtt(facts, { pc }).catch(() => ({ ott: undefined })),
    (asked) => asked.ott !== undefined,
    20_000,
  );
  const verified = await gameServerOf(facts).verify(ott ?? '', user);

  expect(verified).toMatchObject({ data: { isValid: true } });
  const replaced = await eventually(
    () => server.heartbeat(id, user),
    ({ ok }) => ok,
    10_000,
  );
  expect(replaced).toMatchObject({ data: { result: 'SESSION_REPLACED' } });
}, 60_000);

test('a Redis that comes back behind cannot make a spent token good again (I1)', async () => {
  const facts = own.stack.facts();
  const { ott } = await patiently(() => newOtt(facts));
  const copy = join(own.dir, 'redis-before');
  await killAndRestart(() => cpSync(redisData(), copy, { recursive: true }));
  const server = gameServerOf(facts);
  const verified = await eventually(
    () => server.verify(ott, 'u1'),
    ({ ok }) => ok,
    20_000,
  );
  expect(verified).toMatchObject({ data: { isValid: true } });

  await killAndRestart(() => {
    rmSync(redisData(), { recursive: true });
    cpSync(copy, redisData(), { recursive: true });
  });
  const again = await eventually(
    () => server.verify(ott, 'u2'),
    ({ ok }) => ok,
    20_000,
  );

  expect(again).toMatchObject({ data: { isValid: false, reason: 'OTT_ALREADY_USED' } });
  const id = verified.ok && verified.data.isValid ? verified.data.gameSessionId : '';
  expect(
    await eventually(
      () => server.heartbeat(id, 'u1'),
      ({ ok }) => ok,
      10_000,
    ),
  ).toMatchObject({
    data: { result: 'OK' },
  });
  const all = await billings(facts);
  const pc = all.find(({ billing_id }) => billing_id === id)?.pc_id;
  expect(all.filter(({ pc_id }) => pc_id === pc)).toMatchObject([{ billing_id: id }]);
}, 90_000);
