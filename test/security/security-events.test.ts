import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { newApiKey, newOperatorKey } from '../../deploy/operations/keys/new-keys.ts';
import { eventually } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { scrape } from '../support/read-metrics.ts';
import { signedStart } from '../support/signed-start.ts';
import { cafeOf, gameIdOf, gameServerOf, newOtt, newPc, newPlayer } from '../support/suite-stack.ts';

const own = useOwnStack({ RATE_TOKENS_PER_PC: '2/600' });
const facts = () => own.stack.facts();

type Line = Record<string, unknown>;
const linesOf = (service: string): Line[] =>
  readFileSync(join(own.dir, 'logs', `${service}.log`), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"event":'))
    .map((line) => JSON.parse(line) as Line);
/** The lines of an event with these fields, once there are some: they come when their window of ten seconds is over. */
const written = (service: string, fields: Line): Promise<Line[]> =>
  eventually(
    async () =>
      linesOf(service).filter((line) =>
        Object.entries(fields).every(([name, value]) => line[name] === value),
      ),
    (lines) => lines.length > 0,
    20_000,
  );

const resetHalfway = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', reject).on('close', () => resolve());
    socket.write('POST /v1/game/session/verify HTTP/1.1\r\nHost: game', () =>
      setImmediate(() => socket.resetAndDestroy()),
    );
  });

let seen: { mismatched: string; foreign: string };
const nonce = randomUUID();
/** What somebody without a key may ask settlement for: the id of a player, or a key, in the wrong place. */
const pastedIds = Array.from({ length: 20 }, (_, index) => `player-${index}-${randomUUID()}`);
beforeAll(async () => {
  const stack = facts();
  for (let count = 0; count < 300; count += 1) await resetHalfway(stack.game.url);
  const wrongs = [
    { nonce },
    { nonce },
    { secret: Buffer.alloc(32, 1) },
    { keyId: 'nobody.k1' },
    { created: new Date(Date.now() - 3_600_000) },
    { from: cafeOf(stack, 1).ip },
    { from: '198.51.100.7' },
  ];
  for (const wrong of wrongs) await signedStart(stack, wrong);
  const { pc, ott } = await newOtt(stack);
  await gameServerOf(stack, 1).verify(ott, 'player-1');
  await pc.start();
  for (let count = 0; count < 3; count += 1) await pc.requestOtt(gameIdOf(stack));
  const { id, user } = await newPlayer(stack, { cafe: 1 });
  await gameServerOf(stack, 1).heartbeat(id, user);
  await gameServerOf(stack, 1).end(id, 1);
  for (const key of ['nonsense', newApiKey({ game: 'x', env: 'dev', randomBytes: randomBytes(40) }).key])
    await fetch(`${stack.game.url}/v1/game/session/verify`, {
      method: 'POST',
      headers: { 'X-Api-Key': key },
    });
  await fetch(`${stack.launcher.url}/v1/session/heartbeat`, { method: 'PATCH' });
  for (const pasted of pastedIds) await fetch(`${stack.settlement.url}/v1/sessions/${pasted}?day=${pasted}`);
  seen = { mismatched: gameIdOf(stack, 1), foreign: gameIdOf(stack, 1) };
}, 60_000);

describe('what an investigation asks for is in the log (D-47)', () => {
  test('three hundred connections that are reset are one line with a count', async () => {
    const lines = await written('game-session', { event: 'connection.failed', reason: 'ECONNRESET' });

    expect(lines.map(({ count }) => count)).toEqual([300]);
  });

  test.each([
    [
      'a right signature',
      { event: 'authentication.succeeded', kind: 'launcher-key', key_id: 'cafe-seoul-01.k1' },
    ],
    ['a wrong one', { event: 'authentication.failed', reason: 'mismatch', key_id: 'cafe-seoul-01.k1' }],
    ['an unknown key', { event: 'authentication.failed', reason: 'unknown_key', address_class: 'public' }],
    ['a wrong clock', { event: 'authentication.failed', reason: 'outside_window', count: 1 }],
    ['no session token', { event: 'authentication.failed', kind: 'session-token', reason: 'not_live' }],
    ['a nonce used again', { event: 'nonce.replayed', key_id: 'cafe-seoul-01.k1', count: 1 }],
    ['another cafe’s address', { event: 'address.refused', reason: 'other_cafe', cafe_id: 'cafe-seoul-01' }],
    ['an address of no cafe', { event: 'address.refused', reason: 'no_cafe', cafe_id: 'cafe-seoul-01' }],
    ['a taken seat', { event: 'launcher-session.replaced', reason: 'same_address' }],
    ['a limit', { event: 'rate.limited', limit: 'tokens-pc' }],
  ])('launcher-gateway: %s', async (_, fields) => {
    const [line] = await written('launcher-gateway', fields);

    expect(line).toMatchObject({ request_id: expect.stringMatching(/^req_/), count: expect.any(Number) });
  });

  test.each([
    ['a right API key', { event: 'authentication.succeeded', kind: 'api-key' }],
    ['one that has not the form', { event: 'authentication.failed', reason: 'malformed' }],
    ['an unknown one', { event: 'authentication.failed', reason: 'unknown_key' }],
    ['a token of another game', { event: 'game.mismatched', count: 1 }],
    ['a session of another game', { event: 'foreign-session.requested', count: 2 }],
  ])('game-session: %s', async (_, fields) => {
    const [line] = await written('game-session', fields);

    if (/mismatched|foreign/.test(fields.event)) expect(line).toMatchObject({ game_id: seen.foreign });
    expect(line).toMatchObject({ request_id: expect.stringMatching(/^req_/) });
  });

  test('settlement: callers without an operator’s key, however many they are and whatever they ask for', async () => {
    const route = '/v1/sessions/:game_session_id';
    const lines = await written('settlement', { event: 'authentication.failed', kind: 'operator-key' });

    expect(lines).toMatchObject([{ reason: 'malformed', operation: route, count: pastedIds.length }]);
    const text = readFileSync(join(own.dir, 'logs/settlement.log'), 'utf8');
    expect(pastedIds.filter((pasted) => text.includes(pasted))).toEqual([]);
  });

  test('keys that come and are taken out, with their last use', async () => {
    const { key, stored } = newApiKey({ game: 'fourth', env: 'dev', randomBytes: randomBytes(40) });
    const [file, keyId] = [join(own.dir, 'catalog/fourth.yaml'), stored.spec.keys[0]!.id];
    writeFileSync(file, stringify(stored));
    await written('game-session', { event: 'key.created', key_id: keyId, game_id: 'fourth' });
    await fetch(`${facts().game.url}/v1/game/session/verify`, {
      ...{ method: 'POST', headers: { 'X-Api-Key': key } },
    });
    rmSync(file);

    const [line] = await written('game-session', { event: 'key.revoked', key_id: keyId });
    expect(line).toMatchObject({ last_used_at: expect.stringMatching(/^20/) });
  });

  test('what an operator may, when it changes', async () => {
    const rights = { name: 'jisoo', randomBytes: randomBytes(40), env: 'dev' as const };
    const file = join(own.dir, 'catalog/jisoo.yaml');
    writeFileSync(file, stringify(newOperatorKey({ ...rights, roles: ['statements:read'] }).stored));
    await written('settlement', { event: 'operator.changed', operator: 'jisoo' });
    writeFileSync(file, stringify(newOperatorKey({ ...rights, roles: ['close-day'] }).stored));

    const [line] = await written('settlement', {
      ...{ event: 'operator.changed', to: 'roles: close-day, cafes: all, games: all' },
    });
    expect(line).toMatchObject({
      operator: 'jisoo',
      from: expect.stringMatching(/^roles: statements:read,/),
    });
  });

  test('an id of a key that nobody has, a nonce and an address are in no line', () => {
    const text = JSON.stringify(linesOf('launcher-gateway'));

    expect(text).not.toContain('nobody.k1');
    expect(text).not.toContain(nonce);
    expect(text).not.toMatch(/\b\d+\.\d+\.\d+\.\d+\b/);
  });

  test('each is counted', async () => {
    const counted = (await scrape(facts().processes)).filter(
      ({ name, value }) => name === 'gsb_security_events_total' && value > 0,
    );
    const names = new Set(counted.map(({ labels }) => labels['event']));

    expect([...names]).toEqual(
      expect.arrayContaining(['nonce.replayed', 'address.refused', 'game.mismatched', 'rate.limited']),
    );
  });

  test('heartbeats that are answered are no events', async () => {
    const { server, id, user } = await newPlayer(facts(), { cafe: 2, pc: newPc(facts(), 2) });
    const counts = async () =>
      (await scrape(facts().processes))
        .filter(
          ({ name, labels }) =>
            name === 'gsb_security_events_total' && labels['service_name'] === 'game-session',
        )
        .reduce((sum, { value }) => sum + value, 0);
    const before = await counts();

    for (let count = 0; count < 5; count += 1) await server.heartbeat(id, user);

    expect(await counts()).toBe(before);
  });
});
