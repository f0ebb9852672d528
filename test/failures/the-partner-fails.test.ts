import { eventually } from '../support/eventually.ts';
import { useOwnStack, shortLimits } from '../support/own-stack.ts';
import { partnerOf } from '../support/partner.ts';
import type { Fault } from '../support/partner.ts';
import { scrape } from '../support/read-metrics.ts';
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
type Ended = Awaited<ReturnType<Awaited<ReturnType<typeof newPlayer>>['server']['end']>>;
const secondsOf = (ended: Ended) => (ended.ok ? ended.data.playDurationSec : undefined);
/** An answer that is late makes one request more, which its key makes harmless: what counts is the one billing of a PC, and its seconds. */
const expectOneBilling = async (id: string, seconds: number | undefined): Promise<void> => {
  const { pc_id: pc } = (await stopped(id))!;
  const ofThePc = (await billings(own.stack.facts())).filter(({ pc_id }) => pc_id === pc);
  expect(ofThePc).toMatchObject([{ billing_id: id, play_duration_sec: seconds }]);
};
/** How many sessions have ended; one whose end is only said again counts once. */
const endings = async (): Promise<number> =>
  (await scrape(own.stack.facts().processes))
    .filter(({ name }) => name === 'gsb_sessions_ended_total')
    .reduce((sum, { value }) => sum + value, 0);
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
    '%s: it is asked again with the same key, and there is one billing, of the seconds that were answered (I3)',
    async (_, fault) => {
      await setFault(fault);
      const player = await newPlayer(own.stack.facts());
      await billed(player.id, (billing) => (billing?.requests.start ?? 0) >= 2);
      const ended = await player.server.end(player.id);

      await expectOneBilling(player.id, secondsOf(ended));
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
        (seen) => typeof seen.data?.partner_play_duration_sec === 'number',
        40_000,
      );
      expect(settled).toMatchObject({ data: { partner_play_duration_sec: data.playDurationSec } });
    },
    90_000,
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
  await Promise.all([stays!, late].map(({ server, id }) => server.end(id).then(() => stopped(id))));
}, 120_000);

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
      await billed(player.id, (billing) => (billing?.requests.renew ?? 0) >= 1);
      await setBalance(2, plenty);
      const next = beat(player);

      expect([await stale, await next]).toMatchObject([{ ok: true }, { ok: true }]);
      await eventually(
        () => beat(player),
        (answer) => answer.ok && answer.data.result === 'OK',
      );
      const pastGrace = performance.now() + graceMs;
      await eventually(
        () => beat(player),
        (answer) => [404, 410].includes(answer.status) || performance.now() > pastGrace,
      );
      expect(await player.server.end(player.id)).toMatchObject({ data: { result: 'SUCCESS' } });
      // Its stop must not meet the next test's fault.
      await stopped(player.id);
    },
    120_000,
  );

  test('a stop is confirmed twice, the older answer last: the session has one end, and its seconds stay', async () => {
    const player = await newPlayer(own.stack.facts());
    await setFault({ operation: 'stop', mode: 'late_reply', delay_ms: 5_500, count: 1 });

    const ended = await player.server.end(player.id);

    await billed(player.id, (found) => (found?.requests.stop ?? 0) >= 2);
    expect(ended).toMatchObject({ data: { result: 'SUCCESS' } });
    await expectOneBilling(player.id, secondsOf(ended));
    expect(await beat(player)).toMatchObject({ ok: false, status: 410 });
    expect(await player.server.end(player.id)).toMatchObject({ code: 'ALREADY_ENDED' });
  }, 90_000);
});

describe('the balance is used up at the moment of the end', () => {
  test('an end and an exhaustion at once: it ends once, with the seconds that were answered', async () => {
    const facts = own.stack.facts();
    const player = await newPlayer(facts, { cafe: 2 });
    const before = await endings();
    await setBalance(2, 0);

    const [, ended] = await Promise.all([beat(player), player.server.end(player.id)]);

    expect(ended).toMatchObject({ data: { result: 'SUCCESS' } });
    await expectOneBilling(player.id, secondsOf(ended));
    expect(await endings()).toBe(before + 1);
    await setBalance(2, plenty);
  }, 50_000);

  test('silence after an exhaustion: the session ends once, with the seconds of its last heartbeat', async () => {
    const player = await newPlayer(own.stack.facts(), { cafe: 2 });
    const before = await endings();
    await setBalance(2, 0);
    const last = await eventually(
      () => beat(player),
      (answer) => answer.ok && answer.data.result === 'CHARGE_EXHAUSTED',
    );

    await expectOneBilling(player.id, last.ok ? last.data.playDurationSec : undefined);
    expect(await endings()).toBe(before + 1);
    await setBalance(2, plenty);
  }, 50_000);
});
