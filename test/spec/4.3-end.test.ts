import { randomUUID } from 'node:crypto';
import { send } from '../support/raw.ts';
import { billingOf, gameServerOf, newPlayer, theStack } from '../support/suite-stack.ts';
import { eventually } from '../support/eventually.ts';
import { askSettlement } from '../support/settlement.ts';

const rawEnd = async (body: object) => {
  const stack = await theStack();
  return send({
    method: 'DELETE',
    url: `${stack.game.url}/v1/game/session/end`,
    headers: { 'X-Api-Key': stack.game.games[0]!.api_keys[0]!, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
};

describe('spec 4.3 request and spec 4.3 response: a DELETE with a JSON body', () => {
  test.each([
    ['the client seconds are echoed', { play_duration_sec: 7 }, 7],
    ['a zero is a zero', { play_duration_sec: 0 }, 0],
    ['null where the request said nothing', {}, null],
  ])('SUCCESS with exactly its three fields; %s', async (_, extra, echoed) => {
    const { id } = await newPlayer(await theStack());

    const { status, body } = await rawEnd({ game_session_id: id, ...extra });

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      request_id: expect.stringMatching(/^req_/),
      data: { result: 'SUCCESS', play_duration_sec: expect.any(Number), client_play_duration_sec: echoed },
    });
  });

  test('billing stops at the partner, once, with the seconds that were answered', async () => {
    const stack = await theStack();
    const { server, id } = await newPlayer(stack);
    const ended = await server.end(id);

    const billing = await eventually(
      () => billingOf(stack, id),
      (found) => found?.status === 'stopped',
    );

    expect(billing).toMatchObject({
      requests: { stop: 1 },
      play_duration_sec: ended.ok ? ended.data.playDurationSec : -1,
    });
  });

  test('409 ALREADY_ENDED for a second end; of ten at once one succeeds', async () => {
    const { server, id } = await newPlayer(await theStack());

    const answers = await Promise.all(Array.from({ length: 10 }, () => server.end(id)));

    const codes = answers.map((answer) => (answer.ok ? 'SUCCESS' : answer.code)).sort();
    expect(codes).toEqual([...Array.from({ length: 9 }, () => 'ALREADY_ENDED'), 'SUCCESS']);
  });

  test('an end that is sent again after no answer changes nothing: its first seconds stand in both books', async () => {
    const stack = await theStack();
    const { server, id } = await newPlayer(stack);
    const first = await server.end(id, 7);

    const again = await server.end(id, 99);

    const entry = await eventually(
      () => askSettlement(stack, `sessions/${id}`),
      ({ text }) => /"partner_play_duration_sec":\d/.test(text),
    );
    expect(again).toMatchObject({ status: 409, code: 'ALREADY_ENDED' });
    expect(entry.body).toMatchObject({
      data: {
        client_play_duration_sec: 7,
        play_duration_sec: first.ok ? first.data.playDurationSec : -1,
      },
    });
    expect((await billingOf(stack, id))?.requests).toMatchObject({ stop: 1 });
  });

  test.each([
    ['a session that never was', 0, () => `gs_${randomUUID()}`],
    ["a session of another game's key (D-05)", 1, undefined],
  ])('404 SESSION_NOT_FOUND for %s', async (_, game, unknown) => {
    const stack = await theStack();
    const { id } = await newPlayer(stack);

    expect(await gameServerOf(stack, game).end(unknown?.() ?? id)).toMatchObject({
      status: 404,
      code: 'SESSION_NOT_FOUND',
    });
  });
});
