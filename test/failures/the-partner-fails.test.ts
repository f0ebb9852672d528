import { eventually } from '../support/eventually.ts';
import { useOwnStack, shortLimits } from '../support/own-stack.ts';
import { partnerOf } from '../support/partner.ts';
import type { Fault } from '../support/partner.ts';
import { askSettlement } from '../support/settlement.ts';
import { beat, playingOn, seatPlayers } from '../support/seat-players.ts';
import { billingOf, billings, newPlayer } from '../support/suite-stack.ts';

const plenty = 1_000_000;
const graceMs = 5_000;
const settings = {
  ...shortLimits,
  GRACE_SEC: String(graceMs / 1000),
  PARTNER_RETRIES_PER_SEC: '20',
};
const own = useOwnStack(settings);

const setFault = (fault: Fault) => partnerOf(own.stack.facts()).setFault(fault);
const heal = () => partnerOf(own.stack.facts()).heal();
const setBalance = (cafe: number, sec: number) => partnerOf(own.stack.facts()).setBalance(cafe, sec);
type Billing = Awaited<ReturnType<typeof billingOf>>;
/** The partner's billing of a session, once it satisfies. */
const billed = (id: string, satisfies: (billing: Billing) => boolean) =>
  eventually(() => billingOf(own.stack.facts(), id), satisfies, 40_000);
const stopped = (id: string) => billed(id, (billing) => billing?.status === 'stopped');
const metric = async (name: RegExp): Promise<boolean> => {
  const { ops } = own.stack.facts().processes.find(({ service }) => service === 'billing-adapter')!;
  return name.test(await (await fetch(`${ops}/metrics`)).text());
};

afterEach(async () => {
  await heal();
  // The circuits have closed again before the next test counts on the partner.
  await eventually(
    () => metric(/gsb_partner_circuit_state\{.*\} [12]/),
    (open) => !open,
    20_000,
  ).catch(() => undefined);
}, 30_000);

describe('the partner times out on a start', () => {
  test.each<[string, Fault]>([
    ['the request was lost', { operation: 'start', mode: 'error', count: 1 }],
    ['it was done, but the reply was lost', { operation: 'start', mode: 'lost_reply', count: 1 }],
  ])(
    '%s: it is asked again with the same key, and there is one billing and one stop (I3)',
    async (_, fault) => {
      await setFault(fault);
      const player = await newPlayer(own.stack.facts());
      await billed(player.id, (billing) => billing?.requests.start === 2);
      await player.server.end(player.id);
      const billing = await stopped(player.id);

      expect(billing?.requests.stop).toBeLessThanOrEqual(2);
      expect(
        (await billings(own.stack.facts())).filter(({ pc_id }) => pc_id === billing?.pc_id),
      ).toHaveLength(1);
    },
    90_000,
  );
});

describe('answers of the partner that cannot be believed', () => {
  test.each(['not_json', 'wrong_shape', 'negative', 'absurd', 'redirect', 'huge'] as const)(
    '%s: the outcome is unknown, it is asked again, and nothing of it is billed',
    async (mode) => {
      const player = await newPlayer(own.stack.facts());
      // Two: a stop of the test before, whose billing was known to have started only after play was over (D-60), may take one.
      await setFault({ operation: 'stop', mode, count: 2 });

      const { data } = (await player.server.end(player.id)) as { data: { playDurationSec: number } };

      const billing = await stopped(player.id);
      expect(billing?.play_duration_sec).toBe(data.playDurationSec);
      expect(billing?.requests.stop).toBeGreaterThanOrEqual(2);
      const entry = async () =>
        (await askSettlement(own.stack.facts(), `sessions/${player.id}`)).body as {
          data?: { partner_play_duration_sec: number | null };
        };
      const settled = await eventually(
        entry,
        (seen) => seen.data?.partner_play_duration_sec !== null,
        10_000,
      );
      expect(settled).toMatchObject({ data: { partner_play_duration_sec: data.playDurationSec } });
    },
    50_000,
  );
});

test('the partner answers 500 for a while: the circuit opens, heartbeats hear OK, nobody is thrown out, and the backlog drains at a bounded rate (D-27)', async () => {
  const facts = own.stack.facts();
  const [stays, ...leavers] = await seatPlayers(facts, 41, 1);
  for (const operation of ['start', 'renew', 'stop'] as const)
    await setFault({ operation, mode: 'error', status: 500 });

  const late = await newPlayer(facts, { cafe: 1 });
  const ends = await Promise.all(leavers.map(({ server, id }) => server.end(id)));
  expect(ends.map(({ status }) => status)).toEqual(leavers.map(() => 200));
  const whilePlaying = playingOn([stays!, late]);
  await eventually(
    () => whilePlaying(() => metric(/gsb_partner_circuit_state\{.*"stop".*\} 2/)),
    (open) => open,
    15_000,
  );
  expect(await beat(stays!)).toMatchObject({ data: { result: 'OK' } });
  expect(await beat(late)).toMatchObject({ data: { result: 'OK' } });

  await heal();
  const left = new Set(leavers.map(({ id }) => id));
  const stops = await eventually(
    async () =>
      (await whilePlaying(() => billings(facts))).filter(
        ({ billing_id, status }) => left.has(billing_id) && status === 'stopped',
      ),
    (found) => found.length === left.size,
    40_000,
  );
  expect(await beat(late)).toMatchObject({ data: { result: 'OK' } });
  expect(Math.max(...stops.map(({ requests }) => requests.stop ?? 0))).toBeLessThan(20);
}, 90_000);

describe('the partner repeats, delays and reorders its answers', () => {
  test.each([
    ['in time', 1_500],
    ['when nobody waits for it', 2_500],
  ])(
    'an exhaustion from before a top-up, heard %s: who plays plays on',
    async (_, delay_ms) => {
      const facts = own.stack.facts();
      const player = await newPlayer(facts, { cafe: 2 });
      await setBalance(2, 0);
      await setFault({ operation: 'renew', mode: 'late_reply', delay_ms, count: 1 });

      const stale = beat(player);
      await billed(player.id, (billing) => billing?.requests.renew === 1);
      await setBalance(2, plenty);
      const next = beat(player);

      expect([await stale, await next]).toMatchObject([{ ok: true }, { ok: true }]);
      await eventually(
        () => beat(player),
        (answer) => answer.ok && answer.data.result === 'OK',
        4_000,
      );
      const pastGrace = performance.now() + graceMs;
      await eventually(
        () => beat(player),
        (answer) => !(answer.ok || answer.status === 429) || performance.now() > pastGrace,
      );
      expect(await player.server.end(player.id)).toMatchObject({ data: { result: 'SUCCESS' } });
      // Its stop must not meet the next test's fault.
      await stopped(player.id);
    },
    50_000,
  );

  test('a stop is confirmed twice, the older answer last: the session has one end, and its seconds stay', async () => {
    const player = await newPlayer(own.stack.facts());
    await setFault({ operation: 'stop', mode: 'late_reply', delay_ms: 5_500, count: 1 });

    const ended = await player.server.end(player.id);

    const billing = await billed(player.id, (found) => found?.requests.stop === 2);
    expect(ended).toMatchObject({ data: { result: 'SUCCESS', playDurationSec: billing?.play_duration_sec } });
    expect(await beat(player)).toMatchObject({ ok: false, status: 410 });
    expect(await player.server.end(player.id)).toMatchObject({ code: 'ALREADY_ENDED' });
  }, 50_000);
});

describe('the balance is used up at the moment of the end', () => {
  test('an end and an exhaustion at once: one end reason, one stop, the grace not cut short', async () => {
    const facts = own.stack.facts();
    const player = await newPlayer(facts, { cafe: 2 });
    await setBalance(2, 0);

    const [, ended] = await Promise.all([beat(player), player.server.end(player.id)]);

    expect(ended).toMatchObject({ data: { result: 'SUCCESS' } });
    expect((await stopped(player.id))?.requests.stop).toBe(1);
    await setBalance(2, plenty);
  }, 50_000);

  test('silence after an exhaustion: the session ends once, with the seconds of its last heartbeat', async () => {
    const player = await newPlayer(own.stack.facts(), { cafe: 2 });
    await setBalance(2, 0);
    const last = await eventually(
      () => beat(player),
      (answer) => answer.ok && answer.data.result === 'CHARGE_EXHAUSTED',
    );

    const billing = await stopped(player.id);

    const sec = last.ok ? last.data.playDurationSec : undefined;
    expect(billing).toMatchObject({ requests: { stop: 1 }, play_duration_sec: sec });
    await setBalance(2, plenty);
  }, 50_000);
});
