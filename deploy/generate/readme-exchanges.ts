import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import { createLauncher } from '#simulators/launcher/launcher.ts';
import type { StackFacts } from '#simulators/stack-file.ts';

/** What was sent and what came back, as it is shown. */
export interface Exchange {
  readonly title: string;
  readonly sent: string;
  readonly received: string;
}

const paths = {
  verify: ['POST', '/v1/game/session/verify'],
  heartbeat: ['PATCH', '/v1/game/session/heartbeat'],
  end: ['DELETE', '/v1/game/session/end'],
} as const;

const ask = async (facts: StackFacts, call: keyof typeof paths, body: object, key?: string) => {
  const [method, path] = paths[call];
  const response = await fetch(facts.game.url + path, {
    method,
    headers: {
      'X-Api-Key': key ?? facts.game.games[0]?.api_keys[0] ?? '',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  return { sent: `${method} ${path} ${JSON.stringify(body)}`, received: `${response.status} ${text}` };
};

const partner = (facts: StackFacts, path: string, body: object) =>
  fetch(`${facts.partner.url}/control/${path}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** A PC of the first cafe, and players on it. */
const sitDown = async (facts: StackFacts) => {
  const cafe = facts.cafes[0];
  if (cafe === undefined) throw new Error('the stack has no cafe');
  const keys = { cafeId: cafe.cafe_id, keyId: cafe.key_id, secret: Buffer.from(cafe.secret, 'base64') };
  const options = {
    url: facts.launcher.url,
    cafe: keys,
    clientIp: cafe.ips[0] ?? '',
    machineId: randomUUID(),
  };
  const pc = createLauncher(options);
  await pc.start();
  const token = async (game = 0): Promise<string> => {
    const asked = await pc.requestOtt(facts.game.games[game]?.game_id ?? '');
    return asked.ok ? asked.data.ott : '';
  };
  const session = async (game = 0): Promise<string> => {
    const server = createGameServer({
      url: facts.game.url,
      apiKey: facts.game.games[game]?.api_keys[0] ?? '',
    });
    const verified = await server.verify(await token(game), 'player-1');
    return verified.ok && verified.data.isValid ? verified.data.gameSessionId : '';
  };
  return { pc, token, session, cafeId: cafe.cafe_id };
};

type Pc = Awaited<ReturnType<typeof sitDown>>;
type Scene = (facts: StackFacts, pc: Pc) => Promise<{ sent: string; received: string }>;
const player = { provider_user_id: 'player-1' };
const nobody = 'gs_00000000-0000-4000-8000-000000000000';

const beat = (facts: StackFacts, id: string) => ask(facts, 'heartbeat', { game_session_id: id, ...player });
const end = (facts: StackFacts, id: string) => ask(facts, 'end', { game_session_id: id });

/** Sends heartbeats until an answer has the word, and returns that exchange. */
const beatUntil = async (facts: StackFacts, id: string, word: string) => {
  const giveUpAt = performance.now() + 30_000;
  for (;;) {
    const exchange = await beat(facts, id);
    if (exchange.received.includes(word) || performance.now() > giveUpAt) return exchange;
    await sleep(100);
  }
};

/** Each result, reason and error of spec parts 4 and 7, brought about for real. */
const scenes: readonly [title: string, scene: Scene][] = [
  ['verify: accepted', async (f, pc) => ask(f, 'verify', { ott: await pc.token(), ...player })],
  ['verify: OTT_EXPIRED', (f) => ask(f, 'verify', { ott: randomUUID(), ...player })],
  [
    'verify: OTT_ALREADY_USED',
    async (f, pc) => {
      const ott = await pc.token();
      await ask(f, 'verify', { ott, ...player });
      return ask(f, 'verify', { ott, ...player });
    },
  ],
  ['verify: GAME_MISMATCH', async (f, pc) => ask(f, 'verify', { ott: await pc.token(1), ...player })],
  [
    'verify: NOT_CHARGEABLE',
    async (f, pc) => {
      await partner(f, `cafes/${pc.cafeId}`, { remaining_sec: 0 });
      const exchange = await ask(f, 'verify', { ott: await pc.token(), ...player });
      await partner(f, `cafes/${pc.cafeId}`, { remaining_sec: 1_000_000 });
      return exchange;
    },
  ],
  ['verify: 400 BAD_REQUEST', (f) => ask(f, 'verify', { ott: 'not-a-token' })],
  ['verify: 401 INVALID_API_KEY', (f) => ask(f, 'verify', { ott: randomUUID(), ...player }, 'wrong')],
  ['heartbeat: OK', async (f, pc) => beat(f, await pc.session())],
  [
    'heartbeat: CHARGE_EXHAUSTED',
    async (f, pc) => {
      const id = await pc.session();
      await partner(f, `cafes/${pc.cafeId}`, { remaining_sec: 0 });
      const exchange = await beat(f, id);
      await partner(f, `cafes/${pc.cafeId}`, { remaining_sec: 1_000_000 });
      return exchange;
    },
  ],
  [
    'heartbeat: SESSION_REPLACED',
    async (f, pc) => {
      const id = await pc.session();
      await pc.session(1);
      return beat(f, id);
    },
  ],
  ['heartbeat: 404 SESSION_NOT_FOUND', (f) => beat(f, nobody)],
  [
    'heartbeat: 410 SESSION_ENDING',
    async (f, pc) => {
      const id = await pc.session();
      await partner(f, 'faults', { operation: 'stop', mode: 'slow', delay_ms: 1_500, count: 1 });
      await end(f, id);
      return beat(f, id);
    },
  ],
  [
    'heartbeat: 410 SESSION_ENDED',
    async (f, pc) => {
      const id = await pc.session();
      await end(f, id);
      return beatUntil(f, id, 'SESSION_ENDED');
    },
  ],
  [
    'end: SUCCESS',
    async (f, pc) => ask(f, 'end', { game_session_id: await pc.session(), play_duration_sec: 0 }),
  ],
  [
    'end: 409 ALREADY_ENDED',
    async (f, pc) => {
      const id = await pc.session();
      await end(f, id);
      return end(f, id);
    },
  ],
  ['end: 404 SESSION_NOT_FOUND', (f) => end(f, nobody)],
];

/** Plays every scene against a running stack, one after another. */
export const playExchanges = async (facts: StackFacts): Promise<Exchange[]> => {
  const shown: Exchange[] = [];
  for (const [title, scene] of scenes) shown.push({ title, ...(await scene(facts, await sitDown(facts))) });
  return shown;
};
