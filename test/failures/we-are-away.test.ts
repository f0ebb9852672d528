import { once } from 'node:events';
import { connect } from 'node:net';
import { runCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { useOwnStack, shortLimits } from '../support/own-stack.ts';
import { scrape } from '../support/read-metrics.ts';
import { askSettlement } from '../support/settlement.ts';
import { beat, seatPlayers } from '../support/seat-players.ts';
import { billings, newPlayer } from '../support/suite-stack.ts';

const silent = 120;

const own = useOwnStack(shortLimits);

const is404 = (answer: Awaited<ReturnType<typeof beat>>) => !answer.ok && answer.status === 404;
const opsOf = (service: string) =>
  own.stack.facts().processes.find((each) => each.service === service)?.ops ?? '';
const isPaused = async () =>
  /gsb_sweeper_paused\{.*\} 1/.test(await (await fetch(`${opsOf('game-session')}/metrics`)).text());
const signalAll = (signal: NodeJS.Signals) => {
  for (const { pid } of own.stack.facts().processes) process.kill(pid, signal);
};

const tookMs = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

test('more than fifty silent at once are rather our fault: the sweeper waits, says so, and goes on when an operator agrees (D-25)', async () => {
  const players = await seatPlayers(own.stack.facts(), silent + 1);
  const one = players[silent]!;
  const others = players.slice(0, silent).map(({ id }) => id);
  // They fall silent together: within a second, the sweeper closes fewer than come due.
  await eventually(
    () => tookMs(() => Promise.all(players.map(beat))),
    (ms) => ms < 1_000,
    30_000,
  );

  const playsOn = async () => (await Promise.all([isPaused(), beat(one)]))[0];
  expect(await eventually(playsOn, (paused) => paused, 20_000)).toBe(true);
  const { redis } = own.stack.facts();
  const agreed = await runCommand('deploy/operations/agree.ts', ['game-sessions'], { REDIS_URL: redis.url });
  expect(agreed).toMatchObject({ code: 0, err: expect.stringContaining('"operator":"tester"') });

  const stillPlaying = async () => {
    // Nobody beats so often as this asks; one too many changes nothing (D-42).
    const beaten = await beat(one);
    expect(beaten.ok ? beaten.data.result : beaten.code).toMatch(/^(OK|RATE_LIMITED)$/);
    const ledger = await billings(own.stack.facts());
    return ledger.filter(({ status }) => status === 'started').map(({ billing_id: id }) => id);
  };
  const left = await eventually(stillPlaying, (ids) => !others.some((id) => ids.includes(id)), 60_000);
  expect(left).toContain(one.id);
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

test('a heartbeat whose caller gave up while we were stopped proves no play (D-09)', async () => {
  const facts = own.stack.facts();
  const { id, user } = await newPlayer(facts);
  const { url, games } = facts.game;
  const body = JSON.stringify({ game_session_id: id, provider_user_id: user });
  const head = [
    'PATCH /v1/game/session/heartbeat HTTP/1.1',
    `Host: ${new URL(url).host}`,
    `X-Api-Key: ${games[0]?.api_keys[0]}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const services = facts.processes.filter(({ service }) => service === 'game-session');
  const answered = async (result: string) =>
    (await scrape(services))
      .filter(({ name, labels }) => name === 'gsb_heartbeats_total' && labels['result'] === result)
      .reduce((sum, { value }) => sum + value, 0);
  const [refusedBefore, okBefore] = [await answered('UNAVAILABLE'), await answered('OK')];

  for (const { pid } of services) process.kill(pid, 'SIGSTOP');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  await new Promise((resolve) => socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => resolve(undefined)));
  socket.destroy();
  for (const { pid } of services) process.kill(pid, 'SIGCONT');

  await eventually(
    () => answered('UNAVAILABLE'),
    (count) => count > refusedBefore,
    10_000,
  );
  expect(await answered('OK')).toBe(okBefore);
}, 60_000);
