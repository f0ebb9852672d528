import type { Stack } from '../../deploy/local/stack.ts';
import { eventually } from '../support/eventually.ts';
import { ownStack, shortLimits } from '../support/own-stack.ts';
import { billings, newPlayer } from '../support/suite-stack.ts';

type Player = Awaited<ReturnType<typeof newPlayer>>;

/** Enough that more than fifty are due together, however far apart their last heartbeats were answered. */
const silent = 120;

let own: Awaited<ReturnType<typeof ownStack>>;
let stack: Stack;

beforeAll(async () => {
  own = await ownStack(shortLimits);
  stack = own.stack;
}, 60_000);
afterAll(() => own.stop(), 30_000);

const beat = ({ server, id, user }: Player) => server.heartbeat(id, user);
const is404 = (answer: Awaited<ReturnType<typeof beat>>) => !answer.ok && answer.status === 404;
const opsOf = (service: string) =>
  stack.facts().processes.find((each) => each.service === service)?.ops ?? '';
const isPaused = async () =>
  /gsb_sweeper_paused\{.*\} 1/.test(await (await fetch(`${opsOf('game-session')}/metrics`)).text());
const signalAll = (signal: NodeJS.Signals) => {
  for (const { pid } of stack.facts().processes) process.kill(pid, signal);
};

test('more than fifty silent at once are rather our fault: the sweeper waits, says so, and goes on when an operator agrees (R7, D-25)', async () => {
  const facts = stack.facts();
  const players = await Promise.all(
    Array.from({ length: silent + 1 }, (_, cafe) => newPlayer(facts, { cafe: cafe % 3 })),
  );
  const one = players[silent]!;
  await Promise.all(players.map(beat));
  await beat(one);

  expect(await eventually(isPaused, (paused) => paused, 20_000)).toBe(true);
  expect(await beat(one)).toMatchObject({ data: { result: 'OK' } });
  const agreed = await fetch(`${opsOf('game-session')}/sweeper/agree`, { method: 'POST' });
  expect(agreed.status).toBe(200);

  await eventually(isPaused, (paused) => !paused, 10_000);
  const stopped = async () => (await billings(facts)).filter(({ status }) => status === 'stopped').length;
  expect(await eventually(stopped, (count) => count >= silent, 30_000)).toBe(silent);
}, 90_000);

test('an outage of ours expires nobody; who stays silent after it expires one window later (R6, D-11)', async () => {
  const facts = stack.facts();
  const [stays, leaves] = [await newPlayer(facts), await newPlayer(facts)];
  const outageMs = 32_000;

  signalAll('SIGSTOP');
  const until = performance.now() + outageMs;
  await eventually(
    async () => performance.now(),
    (now) => now > until,
    outageMs + 1_000,
  );
  signalAll('SIGCONT');

  const first = await eventually(
    () => beat(stays),
    ({ ok }) => ok || true,
    20_000,
  );
  expect(is404(first)).toBe(false);
  const beaten = await eventually(
    () => beat(stays),
    ({ ok }) => ok,
    20_000,
  );
  expect(beaten).toMatchObject({ data: { result: 'OK' } });
  const entry = async () => (await fetch(`${facts.settlement.url}/v1/sessions/${leaves.id}`)).status;
  expect(await eventually(entry, (status) => status === 200, 60_000)).toBe(200);
}, 120_000);
