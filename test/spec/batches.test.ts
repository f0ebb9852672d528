import { randomUUID } from 'node:crypto';
import { send } from '../support/raw.ts';
import { eventually } from '../support/eventually.ts';
import { seatPlayers } from '../support/seat-players.ts';
import type { Player } from '../support/seat-players.ts';
import { billingOf, gameServerOf, newPlayer, theStack } from '../support/suite-stack.ts';

type Json = Record<string, unknown>;
type Call = 'heartbeat' | 'end';

const methods = { heartbeat: 'PATCH', end: 'DELETE' } as const;

/** A request as a game server sends it: alone, or a batch. */
const sent = async (path: string, call: Call, body: unknown, key?: string) => {
  const stack = await theStack();
  const {
    status,
    headers,
    body: answer,
  } = await send({
    method: methods[call],
    url: `${stack.game.url}${path}/${call}`,
    headers: { 'X-Api-Key': key ?? stack.game.games[0]!.api_keys[0]!, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status, headers, body: answer as Json };
};
const alone = (call: Call, item: unknown) => sent('/v1/game/session', call, item);
const batch = (call: Call, sessions: unknown, key?: string) =>
  sent('/v1/game/sessions', call, { sessions }, key);
const resultsOf = ({ body }: { body: Json }) => (body['data'] as { results: Json[] }).results;

/** What the single call says, as an item of a batch would. */
const asItem = async (call: Call, item: Json): Promise<Json> => {
  const { status, headers, body } = await alone(call, item);
  const { code, message } = (body['error'] ?? {}) as Json;
  const retryAfter = headers['retry-after'];
  const error = { code, message, ...(retryAfter !== undefined && { retry_after_sec: Number(retryAfter) }) };
  const said = status === 200 ? { data: body['data'] } : { error };
  return { game_session_id: item['game_session_id'], status, ...said };
};

const unknownId = () => `gs_${randomUUID()}`;
const itemOf = ({ id, user }: Player) => ({ game_session_id: id, provider_user_id: user });

describe('a batch of game servers (D-41)', () => {
  test('answers item by item and in order with exactly what the single heartbeat says', async () => {
    const stack = await theStack();
    const [first, ended, second] = (await seatPlayers(stack, 3)) as [Player, Player, Player];
    const elsewhere = await newPlayer(stack, { game: 1 });
    await ended.server.end(ended.id, 1);
    const items = [
      itemOf(first),
      { game_session_id: unknownId(), provider_user_id: 'nobody' },
      itemOf(ended),
      itemOf(elsewhere),
      { game_session_id: 'gs_malformed', provider_user_id: 'player-1' },
      itemOf(second),
    ];

    const answer = await batch('heartbeat', items);

    expect(answer.status).toBe(200);
    const results = resultsOf(answer);
    expect(results.map(({ status }) => status)).toEqual([200, 404, 410, 404, 400, 200]);
    // A moment later the single calls say the same, but for the seconds of those who play and the stop that was confirmed meanwhile.
    for (const at of [1, 3, 4]) expect(results[at]).toEqual(await asItem('heartbeat', items[at]!));
    expect(results[0]).toEqual({
      game_session_id: first.id,
      status: 200,
      data: { result: 'OK', next_heartbeat_in: expect.any(Number), play_duration_sec: expect.any(Number) },
    });
    expect(results[5]).toMatchObject({ game_session_id: second.id, status: 200 });
  });

  test('ends up to 500 players with one request, each once, and says to each what it would alone', async () => {
    const stack = await theStack();
    const players = await seatPlayers(stack, 20);
    const items = players.map(({ id }, at) => ({ game_session_id: id, play_duration_sec: at }));
    const strangers = Array.from({ length: 480 }, () => ({ game_session_id: unknownId() }));

    const answer = await batch('end', [...items, ...strangers]);
    const again = await batch('end', items);

    const results = resultsOf(answer);
    expect(results.map(({ game_session_id: id }) => id)).toEqual(
      [...items, ...strangers].map(({ game_session_id: id }) => id),
    );
    expect(results.slice(0, 20)).toEqual(
      items.map(({ game_session_id: id, play_duration_sec: sec }) => ({
        game_session_id: id,
        status: 200,
        data: { result: 'SUCCESS', play_duration_sec: expect.any(Number), client_play_duration_sec: sec },
      })),
    );
    expect(results.slice(20).every(({ status }) => status === 404)).toBe(true);
    expect(resultsOf(again)).toEqual(await Promise.all(items.map((item) => asItem('end', item))));
    for (const { id } of players)
      await eventually(
        () => billingOf(stack, id),
        (billing) => billing?.status === 'stopped' && billing.requests['stop'] === 1,
      );
  }, 60_000);

  test('a heartbeat in a batch restarts the expiry and renews billing as any does', async () => {
    const stack = await theStack();
    const player = await newPlayer(stack);

    await batch('heartbeat', [itemOf(player)]);

    const billing = await eventually(
      () => billingOf(stack, player.id),
      (found) => (found?.requests.renew ?? 0) > 0,
    );
    expect(billing?.requests.renew).toBe(1);
  });

  const one = () => ({ game_session_id: unknownId(), provider_user_id: 'player-1' });
  const same = one();
  test.each([
    ['no items', undefined],
    ['501 items', Array.from({ length: 500 }, one)],
    ['a session twice', [one(), same, same]],
    ['an item that is no object', [one(), 'gs_1']],
    ['an item without its id', [one(), { provider_user_id: 'player-1' }]],
    ['a number for a user', [one(), { ...one(), provider_user_id: 7 }]],
  ])('is refused whole with %s, and does nothing', async (_what, others) => {
    const stack = await theStack();
    const player = await newPlayer(stack);

    const answer = await batch('heartbeat', others ? [itemOf(player), ...others] : []);

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST' } } });
    expect(await billingOf(stack, player.id)).toMatchObject({ requests: { renew: 0 } });
  });

  test('is refused whole without a key of a game', async () => {
    const { id, server, user } = await newPlayer(await theStack());

    const answer = await batch('end', [{ game_session_id: id }], 'gsb_dev_wrong');

    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'INVALID_API_KEY' } } });
    expect(await server.heartbeat(id, user)).toMatchObject({ ok: true });
  });

  test('of the longest users fits, and a larger body is 413', async () => {
    const long = Array.from({ length: 500 }, () => ({ ...one(), provider_user_id: '\u{1f3ae}'.repeat(64) }));

    const fitting = await batch('heartbeat', long);
    const tooLarge = await batch('heartbeat', [{ ...one(), provider_user_id: 'x'.repeat(600_000) }]);

    expect(resultsOf(fitting)).toHaveLength(500);
    expect(tooLarge).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
  });

  test('races single calls: every session ends once, and whoever was second hears that', async () => {
    const stack = await theStack();
    const players = await seatPlayers(stack, 20);
    const server = gameServerOf(stack);
    const ids = players.map(({ id }) => ({ gameSessionId: id }));

    const [ended, also, , ...singles] = await Promise.all([
      server.ends(ids),
      server.ends(ids.toReversed()),
      server.heartbeats(players.map(({ id, user }) => ({ gameSessionId: id, providerUserId: user }))),
      ...players.map(({ id }) => server.end(id)),
    ]);

    const heard = new Map(players.map(({ id }) => [id, [] as string[]]));
    for (const answer of [ended, also]) {
      if (!answer.ok) throw new Error(answer.code);
      for (const { gameSessionId, ...said } of answer.data.results)
        heard.get(gameSessionId)?.push('error' in said ? said.error.code : 'SUCCESS');
    }
    players.forEach(({ id }, at) => {
      const answer = singles[at]!;
      heard.get(id)?.push(answer.ok ? 'SUCCESS' : answer.code);
    });
    expect([...heard.values()].map((codes) => codes.sort())).toEqual(
      players.map(() => ['ALREADY_ENDED', 'ALREADY_ENDED', 'SUCCESS']),
    );
  }, 60_000);
});
