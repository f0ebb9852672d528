import { randomUUID } from 'node:crypto';
import { errors } from '#libs/contracts/errors.ts';
import type { ErrorCode } from '#libs/contracts/errors.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/raw.ts';
import type { RawAnswer } from '../support/raw.ts';
import { newPlayer, theStack } from '../support/suite-stack.ts';

const methods = { verify: 'POST', heartbeat: 'PATCH', end: 'DELETE' } as const;
type Name = keyof typeof methods;
const names = Object.keys(methods) as Name[];

const ask = async (name: Name, body: object, key?: string): Promise<RawAnswer> => {
  const { game } = await theStack();
  return send({
    method: methods[name],
    url: `${game.url}/v1/game/session/${name}`,
    headers: { 'X-Api-Key': key ?? game.games[0]!.api_keys[0]!, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
};
/** Any body that each endpoint takes. */
const someBody = (id = `gs_${randomUUID()}`, user = 'u1') => ({
  ...{ ott: randomUUID(), provider_user_id: user, game_session_id: id },
});
const endedPlayer = async () => {
  const player = await newPlayer(await theStack());
  await player.server.end(player.id);
  return someBody(player.id, player.user);
};

/** D-01: the whole body of an error. */
const errorOf = (code: ErrorCode, answer: RawAnswer) => ({
  status: errors[code].status,
  body: {
    success: false,
    request_id: answer.headers['x-request-id'],
    error: { code, message: expect.any(String) },
  },
});
const expectError = (answer: RawAnswer, code: ErrorCode) => {
  expect({ status: answer.status, body: answer.body }).toEqual(errorOf(code, answer));
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
};

type Row = [row: string, code: ErrorCode, operations: Name[], provoke: (name: Name) => Promise<RawAnswer>];

// 410 SESSION_ENDING is in 3.2-billing-and-the-partner.test.ts: it lasts as long as the partner does not confirm.
describe('spec 7 errors: each with the body of D-01', () => {
  test.each<Row>([
    [
      '400 BAD_REQUEST: required field missing (D-02)',
      ...(['BAD_REQUEST', names] as [ErrorCode, Name[]]),
      (name) => ask(name, {}),
    ],
    [
      '400 BAD_REQUEST: format error (D-02)',
      ...(['BAD_REQUEST', names] as [ErrorCode, Name[]]),
      (name) => ask(name, { ott: 'x', game_session_id: 'x', provider_user_id: 'u1' }),
    ],
    [
      '401 INVALID_API_KEY (D-02)',
      ...(['INVALID_API_KEY', names] as [ErrorCode, Name[]]),
      (name) => ask(name, someBody(), 'x'),
    ],
    [
      '404 SESSION_NOT_FOUND',
      ...(['SESSION_NOT_FOUND', ['heartbeat', 'end']] as [ErrorCode, Name[]]),
      (name) => ask(name, someBody()),
    ],
    [
      '409 ALREADY_ENDED',
      ...(['ALREADY_ENDED', ['end']] as [ErrorCode, Name[]]),
      async (name) => ask(name, await endedPlayer()),
    ],
    [
      '410 SESSION_ENDED',
      ...(['SESSION_ENDED', ['heartbeat']] as [ErrorCode, Name[]]),
      async (name) => {
        const ended = await endedPlayer();
        return eventually(
          () => ask(name, ended),
          ({ text }) => !text.includes('SESSION_ENDING'),
          15_000,
        );
      },
    ],
  ])('%s', async (_, code, operations, provoke) => {
    for (const name of operations) expectError(await provoke(name), code);
  });

  test('a wrong key is told before a wrong body: who is nobody learns nothing of the contract', async () => {
    for (const name of names) expectError(await ask(name, {}, 'x'), 'INVALID_API_KEY');
  });

  test('two errors never share a request id', async () => {
    const answers = await Promise.all(names.flatMap((name) => [ask(name, {}), ask(name, {}, 'x')]));

    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(answers.length);
  });

  test('business failures of verify are no errors: HTTP 200 with success true', async () => {
    expect(await ask('verify', someBody())).toMatchObject({
      status: 200,
      body: { success: true, data: { is_valid: false } },
    });
  });
});
