import { randomUUID } from 'node:crypto';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import { createLauncher } from '#simulators/launcher/launcher.ts';
import { npmSigned } from '../support/npm-signature.ts';
import { send } from '../support/raw.ts';
import { cafeOf, gameIdOf, newPlayer, theStack } from '../support/suite-stack.ts';
import { nginxPath, startNginx } from './proxy-harness.ts';

const nginx = await nginxPath();
if (nginx === undefined)
  process.stderr.write('nginx is not here and cannot be installed: proxy tests skipped\n');
const describeWithNginx = nginx === undefined ? describe.skip : describe;

let proxy: Awaited<ReturnType<typeof startNginx>>;
beforeAll(async () => {
  if (nginx === undefined) return;
  const { launcher, game } = await theStack();
  proxy = await startNginx(nginx, { launcher: launcher.url, game: game.url });
});
afterAll(() => proxy?.stop());

/** A session start through one of the proxies, whose launcher says of itself whatever it likes. */
const start = async (url: string, cafe: number, says: Record<string, string> = {}) => {
  const { keyId, secret } = cafeOf(await theStack(), cafe);
  const body = JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id: randomUUID() } });
  const request = { url: `${url}/v1/session/start`, method: 'POST', body, keyId, secret };
  return send({ ...request, headers: { ...(await npmSigned(request)), ...says } });
};
const refusal = (code: string) => ({ status: code === 'NOT_PC_CAFE' ? 403 : 400, body: { error: { code } } });
const lie = { 'X-Forwarded-For': '203.0.113.10' };

describeWithNginx('behind a real nginx that adds the address of its socket', () => {
  test.each<[string, Record<string, string>]>([
    ['a launcher that tells the truth, which is 127.0.0.1', {}],
    ["a launcher that claims the cafe's address", lie],
    ['one that claims it ten times', { 'X-Forwarded-For': Array(10).fill('203.0.113.10').join(', ') }],
    ['one that claims it in other headers', { 'X-Real-IP': '203.0.113.10', Forwarded: 'for=203.0.113.10' }],
  ])('%s is not believed', async (_, says) => {
    expect(await start(proxy.launcher, 0, says)).toMatchObject(refusal('NOT_PC_CAFE'));
  });

  test('a chain that is no chain is 400', async () => {
    expect(await start(proxy.launcher, 0, { 'X-Forwarded-For': 'me, myself' })).toMatchObject(
      refusal('BAD_REQUEST'),
    );
  });
});

describeWithNginx('behind a real nginx at an edge that saw a PC of the cafe in Seoul', () => {
  test('the cafe is let in, through the proxy its signature holds', async () => {
    expect(await start(proxy.seoul, 0)).toMatchObject({ status: 200, body: { success: true } });
  });

  test('whatever the launcher wrote before, the edge is believed', async () => {
    expect(await start(proxy.seoul, 0, { 'X-Forwarded-For': '198.51.100.7' })).toMatchObject({ status: 200 });
  });

  test("another cafe's key is refused there, even when it claims its own address", async () => {
    expect(await start(proxy.seoul, 1)).toMatchObject(refusal('NOT_PC_CAFE'));
    expect(await start(proxy.seoul, 1, { 'X-Forwarded-For': '203.0.113.20' })).toMatchObject(
      refusal('NOT_PC_CAFE'),
    );
  });

  test('a whole life goes through it: token, verify, heartbeats by PATCH, an end by DELETE with its JSON body', async () => {
    const stack = await theStack();
    const { ip: _, ...cafe } = cafeOf(stack, 0);
    const pc = createLauncher({
      url: proxy.seoul,
      cafe,
      clientIp: '198.51.100.7',
      machineId: randomUUID(),
    });
    const server = createGameServer({ url: proxy.game, apiKey: stack.game.games[0]!.api_keys[0]! });
    expect(await pc.start()).toMatchObject({ status: 200 });
    const asked = await pc.requestOtt(gameIdOf(stack));
    const verified = await server.verify(asked.ok ? asked.data.ott : '', 'player-1');
    const id = verified.ok && verified.data.isValid ? verified.data.gameSessionId : '';

    expect(await server.heartbeat(id, 'player-1')).toMatchObject({ data: { result: 'OK' } });
    expect(await server.end(id, 7)).toMatchObject({
      status: 200,
      data: { result: 'SUCCESS', clientPlayDurationSec: 7 },
    });
    expect(await pc.end()).toMatchObject({ status: 200 });
  });
});

describeWithNginx('the game server API behind a real nginx', () => {
  test('PATCH and DELETE arrive with their bodies, byte for byte', async () => {
    const stack = await theStack();
    const user = `선수-${randomUUID()}`;
    const { id } = await newPlayer(stack, { user });
    const headers = { 'X-Api-Key': stack.game.games[0]!.api_keys[0]!, 'Content-Type': 'application/json' };
    const url = `${proxy.game}/v1/game/session`;
    const beat = JSON.stringify({ game_session_id: id, provider_user_id: user });
    const end = JSON.stringify({ game_session_id: id, play_duration_sec: 3 });

    expect(await send({ method: 'PATCH', url: `${url}/heartbeat`, headers, body: beat })).toMatchObject({
      status: 200,
      body: { data: { result: 'OK' } },
    });
    expect(await send({ method: 'DELETE', url: `${url}/end`, headers, body: end })).toMatchObject({
      status: 200,
      body: { data: { result: 'SUCCESS', client_play_duration_sec: 3 } },
    });
    expect(await send({ method: 'DELETE', url: `${url}/end`, headers })).toMatchObject({ status: 400 });
  });
});
