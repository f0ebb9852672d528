import { randomUUID } from 'node:crypto';
import { errors } from '#libs/contracts/errors.ts';
import type { ErrorCode } from '#libs/contracts/errors.ts';
import { signRequest } from '#simulators/launcher/sign-request.ts';
import { send } from '../support/raw.ts';
import type { RawAnswer } from '../support/raw.ts';
import { cafeOf, theStack } from '../support/suite-stack.ts';

/** Every operation that takes a body, with one that its contract accepts. */
export const operations = {
  verify: {
    edge: 'game',
    method: 'POST',
    path: '/v1/game/session/verify',
    body: () => ({ ott: randomUUID(), provider_user_id: 'u1' }),
  },
  heartbeat: {
    edge: 'game',
    method: 'PATCH',
    path: '/v1/game/session/heartbeat',
    body: () => ({ game_session_id: `gs_${randomUUID()}`, provider_user_id: 'u1' }),
  },
  end: {
    edge: 'game',
    method: 'DELETE',
    path: '/v1/game/session/end',
    body: () => ({ game_session_id: `gs_${randomUUID()}`, play_duration_sec: 1 }),
  },
  'session start': {
    edge: 'launcher',
    method: 'POST',
    path: '/v1/session/start',
    body: () => ({ internal_ip: '192.168.0.17', hardware: { machine_id: randomUUID() } }),
  },
  ott: {
    edge: 'launcher',
    method: 'POST',
    path: '/v1/ott',
    body: () => ({ game_id: 'starfall' }),
  },
} as const;
/** The name of an operation. */
export type Operation = keyof typeof operations;
/** All of them. */
export const operationNames = Object.keys(operations) as Operation[];

const json = { 'Content-Type': 'application/json' };
const bytesOf = (body: string | Buffer) => Buffer.from(body);

const signed = async (body: string | Buffer) => {
  const stack = await theStack();
  const { keyId, secret, ip } = cafeOf(stack, 0);
  const { method, path } = operations['session start'];
  const parts = { method, path, authority: new URL(stack.launcher.url).host, body: bytesOf(body) };
  const claims = { keyId, nonce: randomUUID(), createdSec: Math.floor(Date.now() / 1000) };
  return { 'X-Forwarded-For': ip, ...signRequest(parts, claims, secret) };
};

const startBody = (machineId: string) =>
  JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id: machineId } });

/** The session token of a PC that has just sat down at the first cafe. */
export const sitDown = async (machineId: string = randomUUID()): Promise<string> => {
  const { body } = await ask('session start', startBody(machineId));
  return (body as { data: { session_token: string } }).data.session_token;
};

const credentials = async (operation: Operation, body: string | Buffer, token?: string) => {
  const stack = await theStack();
  if (operations[operation].edge === 'game') return { 'X-Api-Key': stack.game.games[0]!.api_keys[0]! };
  if (operation === 'session start') return signed(body);
  return {
    'X-Forwarded-For': cafeOf(stack, 0).ip,
    Authorization: `Bearer ${token ?? (await sitDown())}`,
  };
};

interface Extra {
  readonly headers?: Record<string, string>;
  readonly token?: string;
}

/** Sends a body as it is, by a caller who may call: only the body, or the headers given, can be wrong. */
export const ask = async (
  operation: Operation,
  body: string | Buffer,
  extra: Extra = {},
): Promise<RawAnswer> => {
  const { edge, method, path } = operations[operation];
  const headers = { ...json, ...(await credentials(operation, body, extra.token)), ...extra.headers };
  return send({ method, url: (await theStack())[edge].url + path, headers, body });
};

/** What must never be in an answer: where our code stands, and what a store or a parser said. */
const innards = /node_modules|\.[jt]s\b|\n\s+at |Error:|redis|kafka|zod/i;

/** D-01 to the letter: status, envelope and headers; and nothing of our insides. */
export const expectRefusal = (answer: RawAnswer, code: ErrorCode): void => {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: errors[code].status,
    body: {
      success: false,
      request_id: answer.headers['x-request-id'],
      error: { code, message: expect.any(String) },
    },
  });
  expect(answer.headers['x-request-id']).toMatch(/^req_/);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.text).not.toMatch(innards);
};
