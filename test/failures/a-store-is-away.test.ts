import { eventually, patiently } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { askSettlement } from '../support/settlement.ts';
import { billingOf, gameServerOf, newOtt, newPlayer } from '../support/suite-stack.ts';

const own = useOwnStack();

const entryStatus = async (id: string): Promise<number> =>
  (await askSettlement(own.stack.facts(), `sessions/${id}`)).status;
const away = { ok: false, status: 503, code: 'UNAVAILABLE' };

test('while Redis is away everybody hears 503, never 404 or 401, and who was playing plays on after', async () => {
  const facts = own.stack.facts();
  const player = await newPlayer(facts);
  const { pc, ott } = await newOtt(facts);
  await own.stack.redis.kill();

  expect(await player.server.heartbeat(player.id, player.user)).toMatchObject(away);
  expect(await player.server.end(player.id)).toMatchObject(away);
  expect(await pc.heartbeat()).toMatchObject(away);
  expect(await gameServerOf(facts).verify(ott, 'u1')).toMatchObject(away);

  await own.stack.redis.restart();
  const beaten = await eventually(
    () => player.server.heartbeat(player.id, player.user),
    ({ ok }) => ok,
  );
  expect(beaten).toMatchObject({ data: { result: 'OK' } });
  // A launcher that signs in the second of the loss signs again (D-44).
  await patiently(() => newPlayer(facts));
}, 60_000);

test('while Kafka is away heartbeat and end answer, verify and token hear 503 in time, and what was promised is said after (D-23)', async () => {
  const facts = own.stack.facts();
  const [stays, leaves] = [await newPlayer(facts), await newPlayer(facts)];
  const { pc, ott } = await newOtt(facts);
  await own.stack.kafka.kill();

  expect(await stays.server.heartbeat(stays.id, stays.user)).toMatchObject({ data: { result: 'OK' } });
  expect(await leaves.server.end(leaves.id)).toMatchObject({ data: { result: 'SUCCESS' } });
  expect(await gameServerOf(facts).verify(ott, 'u1')).toMatchObject(away);
  expect(await pc.requestOtt(facts.game.games[0]!.game_id)).toMatchObject(away);

  await own.stack.kafka.restart();
  const entry = () => entryStatus(leaves.id);
  expect(await eventually(entry, (status) => status === 200, 30_000)).toBe(200);
  // Its heartbeat was not on the log; the partner hears of it all the same, without another one.
  const renewed = await eventually(
    () => billingOf(facts, stays.id),
    (billing) => (billing?.requests.renew ?? 0) > 0,
    20_000,
  );
  expect(renewed).toMatchObject({ status: 'started' });
  expect(await stays.server.heartbeat(stays.id, stays.user)).toMatchObject({ data: { result: 'OK' } });
  // Every service is back in its group before the next test takes a store away.
  const visits = () =>
    newPlayer(facts).then(
      () => true,
      () => false,
    );
  await eventually(visits, (back) => back, 20_000);
}, 90_000);

test('while Postgres is away play is untouched, and the ledger catches up after', async () => {
  const facts = own.stack.facts();
  await own.stack.postgres.kill();
  const player = await newPlayer(facts);

  expect(await player.server.end(player.id)).toMatchObject({ data: { result: 'SUCCESS' } });
  expect(await entryStatus(player.id)).toBe(503);

  await own.stack.postgres.restart();
  expect(
    await eventually(
      () => entryStatus(player.id),
      (status) => status === 200,
      30_000,
    ),
  ).toBe(200);
}, 60_000);
