import { once } from 'node:events';
import { connect } from 'node:net';
import { runCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { asker } from '../support/keep-visiting.ts';
import type { FailedCall } from '../support/keep-visiting.ts';
import { useOwnStack, shortLimits } from '../support/own-stack.ts';
import { scrape } from '../support/read-metrics.ts';
import { askSettlement } from '../support/settlement.ts';
import { beat, beatTogether, playingOn, seatPlayers } from '../support/seat-players.ts';
import { notBySilence, silencesDuring } from '../support/silences.ts';
import { billings, newPlayer } from '../support/suite-stack.ts';

const silent = 120;

const own = useOwnStack(shortLimits);

type Player = Awaited<ReturnType<typeof newPlayer>>;

const is404 = (answer: Awaited<ReturnType<typeof beat>>) => !answer.ok && answer.status === 404;
const opsOf = (service: string) =>
  own.stack.facts().processes.find((each) => each.service === service)?.ops ?? '';
const isPaused = async () =>
  /gsb_sweeper_paused\{.*\} 1/.test(await (await fetch(`${opsOf('game-session')}/metrics`)).text());
const signalAll = (signal: NodeJS.Signals) => {
  for (const { pid } of own.stack.facts().processes) process.kill(pid, signal);
};

/** How many of the players one batch has proved to play, and how long it took. */
const proveTogether = async (players: readonly Player[]) => {
  const began = performance.now();
  const answer = await beatTogether(own.stack.facts(), players);
  const proved = answer.ok ? answer.data.results.filter((each) => 'data' in each).length : 0;
  return { proved, ms: performance.now() - began };
};

/** What the work resolves to; the player plays on for as long as it takes. */
const whileBeating = async <T>(player: Player, work: Promise<T>): Promise<T> => {
  let isDone = false;
  const working = work.finally(() => {
    isDone = true;
  });
  await eventually(
    () => beat(player),
    () => isDone,
    60_000,
  );
  return working;
};

test('more than fifty silent at once are rather our fault: the sweeper waits, says so, and goes on when an operator agrees (D-25)', async () => {
  const players = await seatPlayers(own.stack.facts(), silent + 1);
  const one = players[silent]!;
  const others = players.slice(0, silent).map(({ id }) => id);
  // They fall silent together: within a second, the sweeper closes fewer than come due.
  await eventually(
    () => proveTogether(players),
    ({ proved, ms }) => proved === players.length && ms < 1_000,
    30_000,
  );

  const playsOn = async () => (await Promise.all([isPaused(), beat(one)]))[0];
  expect(await eventually(playsOn, (paused) => paused, 20_000)).toBe(true);
  const { redis } = own.stack.facts();
  const agreeing = runCommand('deploy/operations/agree.ts', ['game-sessions'], { REDIS_URL: redis.url });
  const agreed = await whileBeating(one, agreeing);
  expect(agreed).toMatchObject({ code: 0, err: expect.stringContaining('"operator":"tester"') });

  const failed: FailedCall[] = [];
  const ask = asker(failed);
  const stillPlaying = async () => {
    const beaten = await ask('heartbeat', () => beat(one));
    if (beaten) expect(beaten.data.result).toBe('OK');
    const ledger = await billings(own.stack.facts());
    return ledger.filter(({ status }) => status === 'started').map(({ billing_id: id }) => id);
  };
  const { done: left, silences } = await silencesDuring(own.stack.facts(), () =>
    eventually(stillPlaying, (ids) => !others.some((id) => ids.includes(id)), 60_000),
  );
  expect(left).toContain(one.id);
  // Nobody beats so often as this asks; one too many changes nothing (D-42).
  const refused = notBySilence(failed, silences).filter(({ said }) => said !== 'RATE_LIMITED');
  expect(refused).toEqual([]);
  await eventually(isPaused, (paused) => !paused, 10_000);
}, 150_000);

test('an outage of ours expires nobody; who stays silent after it expires one window later (D-11)', async () => {
  const facts = own.stack.facts();
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

  expect(is404(await beat(stays))).toBe(false);
  const beaten = await eventually(
    () => beat(stays),
    ({ ok }) => ok,
    20_000,
  );
  expect(beaten).toMatchObject({ data: { result: 'OK' } });
  const entry = async () => (await askSettlement(facts, `sessions/${leaves.id}`)).status;
  expect(await eventually(entry, (status) => status === 200, 60_000)).toBe(200);
}, 120_000);

/** Sends a request to a game-session that is stopped, and hangs up before it goes on. */
const askAndLeave = async ([method, operation]: readonly [string, string], body: string): Promise<void> => {
  const facts = own.stack.facts();
  const { url, games } = facts.game;
  const head = [
    `${method} /v1/game/session/${operation} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `X-Api-Key: ${games[0]?.api_keys[0]}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const services = facts.processes.filter(({ service }) => service === 'game-session');
  for (const { pid } of services) process.kill(pid, 'SIGSTOP');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  await new Promise((resolve) => socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => resolve(undefined)));
  socket.destroy();
  for (const { pid } of services) process.kill(pid, 'SIGCONT');
};
/** How many of a kind of request game-session has answered so. */
const answered = async (metric: string, result: string): Promise<number> =>
  (await scrape(own.stack.facts().processes))
    .filter(({ name, labels }) => name === metric && labels['result'] === result)
    .reduce((sum, { value }) => sum + value, 0);

test('a heartbeat whose caller gave up while we were stopped proves no play (D-09)', async () => {
  const { id, user } = await newPlayer(own.stack.facts());
  const beats = 'gsb_heartbeats_total';
  const okBefore = await answered(beats, 'OK');
  const refusedBefore = await answered(beats, 'UNAVAILABLE');

  await askAndLeave(['PATCH', 'heartbeat'], JSON.stringify({ game_session_id: id, provider_user_id: user }));
  await eventually(
    () => answered(beats, 'UNAVAILABLE'),
    (count) => count > refusedBefore,
    10_000,
  );
  expect(await answered(beats, 'OK')).toBe(okBefore);
}, 60_000);

test('an end whose caller gave up while we were stopped ends no play (D-09)', async () => {
  const player = await newPlayer(own.stack.facts());
  const { server, id } = player;
  const whilePlaying = playingOn([player]);
  const ends = 'gsb_ends_total';
  const refusedBefore = await answered(ends, 'UNAVAILABLE');

  await askAndLeave(['DELETE', 'end'], JSON.stringify({ game_session_id: id }));
  await eventually(
    () => whilePlaying(() => answered(ends, 'UNAVAILABLE')),
    (count) => count > refusedBefore,
    10_000,
  );
  expect(await beat(player)).toMatchObject({ data: { result: 'OK' } });
  expect(await server.end(id)).toMatchObject({ data: { result: 'SUCCESS' } });
}, 60_000);
