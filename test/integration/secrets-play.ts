import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { connectKafka } from '#libs/kafka/connection.ts';
import { republish } from '#libs/kafka/replay/republish.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { derivePcKeys } from '../../deploy/operations/keys/derive-keys.ts';
import { newLauncherKey } from '../../deploy/operations/keys/new-keys.ts';
import { npmSigned } from '../support/npm-signature.ts';
import { send } from '../support/raw.ts';
import { askSettlement } from '../support/settlement.ts';
import { signedStart } from '../support/signed-start.ts';
import { cafeOf, gameIdOf, gameServerOf } from '../support/suite-stack.ts';
import type { Secrets } from './secrets-harness.ts';

type Data = Record<string, string>;

/** A launcher's part, done by hand so that each secret of it is known. */
const sitDown = async (stack: StackFacts) => {
  const { keyId, secret, ip } = cafeOf(stack, 0);
  const body = JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id: randomUUID() } });
  const request = { url: `${stack.launcher.url}/v1/session/start`, method: 'POST', body, keyId, secret };
  const signed = await npmSigned(request);
  const from = { 'X-Forwarded-For': ip };
  const started = await send({ ...request, headers: { ...signed, ...from } });
  const replayed = await send({ ...request, headers: { ...signed, ...from } });
  expect([started.status, replayed.status]).toEqual([200, 401]);
  const token = (started.body as { data: Data }).data['session_token']!;
  const signature = signed['Signature']!.slice('sig1=:'.length, -1);
  return { token, signature, headers: { ...from, Authorization: `Bearer ${token}` } };
};

const newToken = async (stack: StackFacts, headers: Data): Promise<string> => {
  const { body, status } = await send({
    method: 'POST',
    url: `${stack.launcher.url}/v1/ott`,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ game_id: gameIdOf(stack) }),
  });
  expect(status).toBe(200);
  return (body as { data: Data }).data['ott']!;
};

/** A player's visit: every way in which a player's secret comes to us, the ones that are refused included. */
const visit = async (stack: StackFacts): Promise<{ id: string; secrets: Secrets }> => {
  const { token, signature, headers } = await sitDown(stack);
  const [first, second] = [await newToken(stack, headers), await newToken(stack, headers)];
  const [server, other] = [gameServerOf(stack), gameServerOf(stack, 1)];
  const unknownOtt = randomUUID();
  for (const ott of [first, unknownOtt]) await server.verify(ott, 'player-1');
  await other.verify(second, 'player-1');
  const verified = await server.verify(second, 'player-1');
  const id = verified.ok && verified.data.isValid ? verified.data.gameSessionId : '';
  await server.verify(second, 'player-1');
  await server.heartbeat(id, 'player-1');
  expect(await server.end(id, 1)).toMatchObject({ status: 200 });
  const oddKey = `${stack.game.games[0]!.api_keys[0]!}x`;
  const idempotent = { 'X-Api-Key': oddKey, 'Content-Type': 'application/json', 'Idempotency-Key': 'k' };
  await send({
    method: 'POST',
    url: `${stack.game.url}/v1/game/session/verify`,
    headers: idempotent,
    body: '{',
  });
  await send({ method: 'DELETE', url: `${stack.launcher.url}/v1/session/end`, headers });
  const tokens = { 'session token': token, 'voided OTT': first, OTT: second, 'unknown OTT': unknownOtt };
  return { id, secrets: { ...tokens, signature } };
};

/** A PC with a key of its own starts, and tries to as another PC. */
const startWithItsOwnKey = async (stack: StackFacts): Promise<Secrets> => {
  const { cafeId, keyId, secret: cafeSecret } = cafeOf(stack, 1);
  const stored = newLauncherKey({ cafe: cafeId, name: 'k1', secretBytes: cafeSecret });
  const yaml = stringify({ ...stored, metadata: { ...stored.metadata, name: keyId } });
  const [key] = derivePcKeys(yaml, ['M-of-its-own']);
  const own = { cafe: 1, keyId: key!.key_id, secret: Buffer.from(key!.secret, 'base64') };
  const right = await signedStart(stack, { ...own, machineId: 'M-of-its-own' });
  const wrong = await signedStart(stack, { ...own, machineId: 'M-of-another' });
  expect([right.status, wrong.status]).toEqual([200, 401]);
  return { 'launcher key of a PC': key!.secret };
};

/** An operator asks, and a stranger with nearly the operator's key. */
const askAsOperators = async (stack: StackFacts, id: string): Promise<Secrets> => {
  const { operator_key: key } = stack.settlement;
  const nearly = `${key}x`;
  await askSettlement(stack, `sessions/${id}`);
  const stranger = await askSettlement(stack, `sessions/${id}`, { Authorization: `Bearer ${nearly}` });
  expect(stranger.status).toBe(401);
  return {
    'operator key': key,
    'secret in the operator key': key.split('_')[3]!,
    'wrong operator key': nearly,
  };
};

/** A message that nobody can read becomes a dead letter. */
const publishPoison = async ({ kafka: { brokers } }: StackFacts, key: string): Promise<void> => {
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  const value = Buffer.from('{"this is": "poison');
  await republish(connectKafka({ brokers, clientId: 'test', log }), [
    { topic: 'game-sessions.v1', key, value, headers: { marked: 'secret' } },
  ]);
};

const environmentOf = (pid: number): string => {
  const path = `/proc/${pid}/environ`;
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

/** What each process signs in with: at the partner, in Redis and in Postgres. */
const passwords = ({ processes }: StackFacts): Secrets =>
  Object.fromEntries(
    processes.flatMap(({ service, pid }) => {
      const named = /(?:^|\0)(\w*(?:TOKEN|PASSWORD|DATABASE_URL))=(?:postgres:\/\/\w+:)?([^\0@]+)/g;
      const values = environmentOf(pid).matchAll(named);
      return [...values].map(([, name, value = '']) => [`${name} of ${service}`, value]);
    }),
  );

/** The secrets that were there before anybody played. */
const standing = ({ game: { games }, cafes }: StackFacts): Secrets => ({
  ...Object.fromEntries(
    games.flatMap(({ game_id, api_keys }) =>
      api_keys.flatMap((key) => [
        [`API key of ${game_id}`, key],
        [`secret in the API key of ${game_id}`, key.split('_')[3]!],
      ]),
    ),
  ),
  ...Object.fromEntries(cafes.map(({ key_id, secret }) => [`launcher secret ${key_id}`, secret])),
});

/** Plays and operates, right and wrong. Resolves to the session of the player, and to all secrets that were used or are there. */
export const useEverySecret = async (stack: StackFacts): Promise<{ id: string; secrets: Secrets }> => {
  const { id, secrets } = await visit(stack);
  await publishPoison(stack, id);
  const used = { ...(await startWithItsOwnKey(stack)), ...(await askAsOperators(stack, id)) };
  return { id, secrets: { ...secrets, ...used, ...standing(stack), ...passwords(stack) } };
};
