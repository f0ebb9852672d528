import { eventually, patiently, until } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { partnerOf } from '../support/partner.ts';
import { billingOf, newPlayer } from '../support/suite-stack.ts';

const waitMs = 10_000;
/**
 * Every heartbeat comes in a crowd, and one that waited for the partner in vain would do so for ten seconds. What is asked until it is answered
 * otherwise is asked more often than one session's heartbeats may come (D-42).
 */
const own = useOwnStack({
  RATE_LIMITS: 'off',
  HEARTBEATS_AWAITED_PER_SEC: '0',
  HEARTBEAT_BILLING_WAIT_MS: String(waitMs),
});
const partner = () => partnerOf(own.stack.facts());
type Player = Awaited<ReturnType<typeof newPlayer>>;

const resultOf = async ({ server, id, user }: Player): Promise<string> => {
  const answer = await server.heartbeat(id, user);
  return answer.ok ? answer.data.result : answer.code;
};
const renewalsOf = async ({ id }: Player): Promise<number> =>
  (await billingOf(own.stack.facts(), id))?.requests.renew ?? 0;
/** The partner has heard of more renewals than these. */
const renewedSince = (player: Player, before: number, withinMs: number) =>
  eventually(
    () => renewalsOf(player),
    (renewals) => renewals > before,
    withinMs,
  );
/** A player whose first heartbeat the partner has, and has said that the balance lasts. */
const playing = async (): Promise<Player> => {
  const player = await newPlayer(own.stack.facts());
  expect(await resultOf(player)).toBe('OK');
  await renewedSince(player, 0, 20_000);
  return player;
};
const inAWhile = (): Promise<Player> => patiently(playing);
const inLessThanTheWait = async <T>(work: () => Promise<T>): Promise<T> => {
  const beganAt = performance.now();
  const result = await work();
  expect(performance.now() - beganAt).toBeLessThan(waitMs / 2);
  return result;
};

test('a heartbeat in a crowd, at a cafe whose balance lasts, is OK while the partner says nothing, and the next one renews (D-62)', async () => {
  const player = await playing();
  await partner().setFault({ operation: 'renew', mode: 'timeout' });

  expect(await inLessThanTheWait(() => resultOf(player))).toBe('OK');

  const unheard = await renewedSince(player, 1, 20_000);
  await partner().heal();
  expect(await resultOf(player)).toBe('OK');
  await renewedSince(player, unheard, 20_000);
}, 60_000);

test('while Kafka is away it is OK at once, and the partner hears of it after (D-23)', async () => {
  const player = await inAWhile();
  const before = await renewalsOf(player);
  await own.stack.kafka.kill();

  expect(await inLessThanTheWait(() => resultOf(player))).toBe('OK');

  await own.stack.kafka.restart();
  await renewedSince(player, before, 30_000);
}, 60_000);

/** Begins to watch game-session; resolves when another process of it is there than now. */
const startedAgain = () => {
  const { pid } = own.stack.service('game-session');
  const before = pid();
  return () => until(() => ![before, undefined].includes(pid()), 'game-session to be started again', 20_000);
};

test('what game-session has gathered when it is stopped is published', async () => {
  const player = await inAWhile();
  const before = await renewalsOf(player);

  expect(await resultOf(player)).toBe('OK');
  const again = startedAgain();
  own.stack.service('game-session').kill('SIGTERM');

  await renewedSince(player, before, 20_000);
  await again();
}, 60_000);

test('what it has gathered when it is killed with -9 is not, and costs nobody a second: the next heartbeat renews, and the end tells all (I8)', async () => {
  const player = await inAWhile();
  const before = await renewalsOf(player);

  expect(await resultOf(player)).toBe('OK');
  const again = startedAgain();
  own.stack.service('game-session').kill('SIGKILL');
  await again();

  await eventually(
    () => resultOf(player).catch(() => undefined),
    (result) => result === 'OK',
    20_000,
  );
  await renewedSince(player, before, 20_000);
  const ended = await player.server.end(player.id);
  if (!ended.ok) throw new Error(`the end was not accepted: ${ended.code}`);
  await eventually(
    async () => (await billingOf(own.stack.facts(), player.id))?.play_duration_sec,
    (seconds) => seconds === ended.data.playDurationSec,
    20_000,
  );
}, 90_000);

test('a balance that was taken away: the next heartbeat is OK still, and as soon as its renewal is known all of the cafe are told (D-37)', async () => {
  const [player, other] = [await inAWhile(), await inAWhile()];
  await partner().setBalance(0, 0);

  expect(await resultOf(player)).toBe('OK');
  await eventually(
    () => resultOf(player),
    (result) => result === 'CHARGE_EXHAUSTED',
    10_000,
  );
  expect(await resultOf(other)).toBe('CHARGE_EXHAUSTED');

  await partner().setBalance(0, 1_000_000);
  expect(await resultOf(player)).toBe('OK');
  expect(await resultOf(other)).toBe('OK');
}, 60_000);
