import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashApiKey } from '#libs/catalog/api-key-format.ts';
import { send } from '../support/raw.ts';
import { npmSigned } from '../support/npm-signature.ts';
import { cafeOf, gameIdOf, gameServerOf, theStack } from '../support/suite-stack.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { everyFile, everyMessage, everyMetric } from './secrets-harness.ts';
import type { Readable } from './secrets-harness.ts';

const stackFolder = dirname(process.env['GSB_STACK'] ?? '');
type Secrets = Record<string, string>;
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

/** Plays: every way in which a secret comes to us, the ones that are refused included. */
const play = async (stack: StackFacts): Promise<Secrets> => {
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
  return { 'session token': token, signature, 'voided OTT': first, OTT: second, 'unknown OTT': unknownOtt };
};

const environmentOf = (pid: number): string => {
  const path = `/proc/${pid}/environ`;
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

interface Lasting {
  readonly games: StackFacts['game']['games'];
  readonly cafes: StackFacts['cafes'];
  readonly partnerToken: string | undefined;
}

/** The secrets that were there before anybody played. */
const standing = ({ games, cafes, partnerToken }: Lasting): Secrets => ({
  ...Object.fromEntries(
    games.flatMap(({ game_id, api_keys }) =>
      api_keys.flatMap((key) => [
        [`API key of ${game_id}`, key],
        [`secret in the API key of ${game_id}`, key.split('_')[3]!],
      ]),
    ),
  ),
  ...Object.fromEntries(cafes.map(({ key_id, secret }) => [`launcher secret ${key_id}`, secret])),
  ...(partnerToken !== undefined && { 'partner token': partnerToken }),
});

/** A secret as it is, and as somebody could have written it in other letters. */
const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(secret),
  secret.toUpperCase(),
];

const found = (texts: readonly Readable[], secrets: Secrets): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) =>
    texts
      .filter(({ text }) => spellings(secret).some((spelling) => text.includes(spelling)))
      .map(({ where }) => `${name} in ${where}`),
  );

let stack: StackFacts;
let secrets: Secrets;
beforeAll(async () => {
  stack = await theStack();
  const { pid } = stack.processes.find(({ service }) => service === 'billing-adapter')!;
  const partnerToken = /PARTNER_TOKEN=([^\0]+)/.exec(environmentOf(pid))?.[1];
  const played = await play(stack);
  secrets = { ...played, ...standing({ games: stack.game.games, cafes: stack.cafes, partnerToken }) };
});

describe('promise I10: after a player has played, no key, token or signature stands', () => {
  test('in a log of any process', () => {
    const logs = everyFile(join(stackFolder, 'logs'));

    expect(logs.map(({ where }) => where)).toEqual(
      expect.arrayContaining([expect.stringMatching(/launcher-gateway\.log$/)]),
    );
    expect(found(logs, secrets)).toEqual([]);
  });

  test('in any message of any topic', async () => {
    const messages = await everyMessage(stack.kafka.brokers);

    expect(messages.some(({ where }) => where.startsWith('billing.v1/'))).toBe(true);
    expect(found(messages, secrets)).toEqual([]);
  }, 40_000);

  test('in the metrics of any service', async () => {
    const metrics = await everyMetric(stack.processes);

    expect(metrics.map(({ where }) => where)).toHaveLength(5);
    expect(metrics.filter(({ text }) => !text.includes('# TYPE'))).toEqual([]);
    expect(found(metrics, secrets)).toEqual([]);
  });

  test('in what Redis or Kafka keep on disk (D-18)', () => {
    const stores = ['redis', 'kafka'].flatMap((name) => everyFile(join(stackFolder, name)));

    expect(found(stores, secrets)).toEqual([]);
  });

  test('in the catalog, but for the launcher secrets: of an API key only its hash', () => {
    const catalog = everyFile(join(stackFolder, 'catalog'));
    const isOfACafe = ([name]: [string, string]) => name.startsWith('launcher secret');
    const others = Object.fromEntries(Object.entries(secrets).filter((each) => !isOfACafe(each)));

    expect(found(catalog, others)).toEqual([]);
    for (const { api_keys } of stack.game.games)
      expect(catalog.some(({ text }) => text.includes(hashApiKey(api_keys[0]!)))).toBe(true);
  });

  test('and the search would find them', () => {
    const text = Object.values(secrets).join('\n');

    expect(found([{ where: 'here', text }], secrets)).toHaveLength(Object.keys(secrets).length);
    expect(Object.keys(secrets)).toEqual(
      expect.arrayContaining(['OTT', 'signature', 'session token', 'launcher secret cafe-seoul-01.k1']),
    );
  });
});
