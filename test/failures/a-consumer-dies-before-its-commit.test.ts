import { randomUUID } from 'node:crypto';
import { repeatEvents } from '../accuracy/duplicates.ts';
import { eventually } from '../support/eventually.ts';
import { caughtUp, forget, kafkaOf } from '../support/offsets.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { partnerOf } from '../support/partner.ts';
import { askSettlement } from '../support/settlement.ts';
import { billingOf, billings, gameIdOf, gameServerOf, newOtt, newPlayer } from '../support/suite-stack.ts';

type Player = Awaited<ReturnType<typeof newPlayer>>;

/** A verify is over after five seconds: what is heard again later must not be taken for one that nobody waits for. */
const verifyMs = 5_500;
const services = ['launcher-gateway', 'ott', 'billing-adapter', 'game-session'] as const;

const own = useOwnStack();
/** Plays all the time; has left; and plays a second game after the launcher of its first was closed. */
let stays: Player[];
let left: Player & { sec: number };
let again: Player;

const entryOf = async (id: string) => {
  const { body } = await askSettlement(own.stack.facts(), `sessions/${id}`);
  const { data } = body as { data?: Record<string, unknown> };
  return data;
};
const leave = async (player: Player): Promise<number> => {
  const ended = await player.server.end(player.id);
  if (!ended.ok) throw new Error(`the end was not accepted: ${JSON.stringify(ended)}`);
  return ended.data.playDurationSec;
};
const closed = (id: string) =>
  eventually(
    () => entryOf(id),
    (entry) => typeof entry?.['partner_play_duration_sec'] === 'number',
    20_000,
  );

beforeAll(async () => {
  const facts = own.stack.facts();
  stays = await Promise.all(services.map(() => newPlayer(facts)));
  const leaves = await newPlayer(facts);
  left = { ...leaves, sec: await leave(leaves) };
  const first = await newPlayer(facts);
  await first.pc.end();
  await closed(first.id);
  again = await newPlayer(facts, { pc: first.pc });
  await closed(left.id);
  const until = performance.now() + verifyMs;
  await eventually(
    async () => performance.now(),
    (now) => now > until,
  );
}, 90_000);

test.each(services.map((service, index) => [service, index] as const))(
  '%s died before it said what it had done, and hears all of it again: who plays plays on, who left has left, and every second is billed once',
  async (service, index) => {
    const facts = own.stack.facts();
    const player = stays[index]!;
    await own.stack.service(service).stop();
    await forget(facts, service);
    await own.stack.service(service).start();
    await caughtUp(facts, service);

    expect(await player.server.heartbeat(player.id, player.user)).toMatchObject({ data: { result: 'OK' } });
    expect(await again.server.heartbeat(again.id, again.user)).toMatchObject({ data: { result: 'OK' } });
    expect(await left.server.heartbeat(left.id, left.user)).toMatchObject({ ok: false, status: 410 });
    expect(await player.server.verify(player.ott, player.user)).toMatchObject({
      data: { isValid: false, reason: 'OTT_ALREADY_USED' },
    });
    const sec = await leave(player);
    expect(await closed(player.id)).toMatchObject({
      play_duration_sec: sec,
      partner_play_duration_sec: sec,
    });
    for (const each of [{ ...player, sec }, left]) {
      const billing = { status: 'stopped', play_duration_sec: each.sec };
      expect(await billingOf(facts, each.id)).toMatchObject(billing);
      expect(await entryOf(each.id)).toMatchObject({ play_duration_sec: each.sec });
    }
  },
  60_000,
);

describe('the log', () => {
  test('the broker is killed with -9 while 30 players leave: each end that was answered is in every book once, and new players can play (I8)', async () => {
    const facts = own.stack.facts();
    const players = await Promise.all(Array.from({ length: 30 }, () => newPlayer(facts)));

    const ends = players.map(async (player) => ({ player, ended: await player.server.end(player.id) }));
    await own.stack.kafka.kill();
    const answers = await Promise.all(ends);
    await own.stack.kafka.restart();

    const accepted = answers.flatMap(({ player, ended }) =>
      ended.ok ? [{ id: player.id, sec: ended.data.playDurationSec }] : [],
    );
    expect(accepted).toHaveLength(players.length);
    for (const { id, sec } of accepted) {
      await eventually(
        () => entryOf(id),
        (entry) => typeof entry?.['partner_play_duration_sec'] === 'number',
        40_000,
      );
      expect(await billingOf(facts, id)).toMatchObject({ status: 'stopped', play_duration_sec: sec });
      expect(await entryOf(id)).toMatchObject({ play_duration_sec: sec, partner_play_duration_sec: sec });
    }
    const plays = () =>
      newPlayer(facts).then(
        () => 'plays',
        (error: unknown) => String(error),
      );
    await eventually(plays, (outcome) => outcome === 'plays', 20_000);
  }, 120_000);

  test('a verify that was answered NOT_CHARGEABLE, said again after a top-up, begins no session: its token still can (I1, D-03)', async () => {
    const facts = own.stack.facts();
    const { setBalance } = partnerOf(facts);
    const [server, user] = [gameServerOf(facts), `player-${randomUUID()}`];
    const { ott } = await newOtt(facts, { cafe: 1 });
    await setBalance(1, 0);
    expect(await server.verify(ott, user)).toMatchObject({ data: { reason: 'NOT_CHARGEABLE' } });
    await setBalance(1, 1_000_000);

    await repeatEvents(kafkaOf(facts));
    await Promise.all(services.map((service) => caughtUp(facts, service)));

    const begun = (await billings(facts)).filter(({ provider_user_id }) => provider_user_id === user);
    expect(begun).toEqual([]);
    expect(await server.verify(ott, user)).toMatchObject({ data: { isValid: true } });
  }, 60_000);

  test('a producer that was not told says everything twice: nobody ends, nothing is billed again (I8)', async () => {
    const facts = own.stack.facts();
    const player = await newPlayer(facts);
    await player.server.heartbeat(player.id, player.user);
    const leaver = await newPlayer(facts);
    const sec = await leave(leaver);
    await closed(leaver.id);

    expect(await repeatEvents(kafkaOf(facts))).toBeGreaterThan(10);
    await Promise.all(services.map((service) => caughtUp(facts, service)));

    expect(await player.server.heartbeat(player.id, player.user)).toMatchObject({ data: { result: 'OK' } });
    expect(await billingOf(facts, player.id)).toMatchObject({ status: 'started' });
    expect(await billingOf(facts, leaver.id)).toMatchObject({ play_duration_sec: sec });
    const { ott } = await newPlayer(facts, { pc: player.pc });
    expect(ott).not.toBe(player.ott);
    expect(gameIdOf(facts)).toBe(facts.game.games[0]!.game_id);
  }, 60_000);
});
