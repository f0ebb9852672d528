import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { mintApiKey } from '../../deploy/operations/keys/mint-api-key.ts';
import { eventually } from '../support/eventually.ts';
import { addOperator } from '../support/operator.ts';
import { send } from '../support/raw.ts';
import { askReconciliation, askSettlement } from '../support/settlement.ts';
import { cafeOf, gameIdOf, newPlayer, theStack } from '../support/suite-stack.ts';

const folder = dirname(process.env['GSB_STACK'] ?? '');
const catalog = join(folder, 'catalog');
const day = '2026-11-20';
const paths = [`sessions/gs_${randomUUID()}`, `statements?day=${day}`, `reconciliations/${day}`];
/** A well-formed key that nobody has. */
const unknownKey = mintApiKey({ env: 'dev', shortId: 'aaaaaaaa', secretBytes: randomBytes(32) });

const ask = async (path: string, authorization?: string) =>
  send({
    method: 'GET',
    url: `${(await theStack()).settlement.url}/v1/${path}`,
    headers: authorization === undefined ? {} : { authorization },
  });
const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => {
  const { error } = body as { error?: { code: string; message: string } };
  return [status, error?.code];
};
/** An operator of the suite's stack, who counts within seconds. */
const newOperator = async (order: Omit<Parameters<typeof addOperator>[1], 'name'>) => {
  const name = `operator-${randomUUID().slice(0, 8)}`;
  const key = `Bearer ${addOperator(catalog, { name, ...order })}`;
  const status = async () => (await ask(`statements?day=${day}`, key)).status;
  return { name, key, known: () => eventually(status, (seen) => seen !== 401) };
};
const auditOf = (name: string): Record<string, unknown>[] =>
  readFileSync(join(folder, 'logs/settlement.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"operator":"${name}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('settlement answers operators alone (D-40)', () => {
  const credentials: [what: string, authorization: () => Promise<string | undefined>][] = [
    ['none', async () => undefined],
    ['another scheme', async () => `Basic ${(await theStack()).settlement.operator_key}`],
    ['no key', async () => 'Bearer '],
    ['a malformed key', async () => 'Bearer gsb_dev_nonsense'],
    ['a key that nobody has', async () => `Bearer ${unknownKey}`],
    ['the API key of a game', async () => `Bearer ${(await theStack()).game.games[0]!.api_keys[0]}`],
  ];

  test.each(credentials)('with %s, every call is 401 with one body', async (_, authorization) => {
    const header = await authorization();
    const answers = await Promise.all(paths.map((path) => ask(path, header)));

    const error = { code: 'INVALID_OPERATOR_KEY', message: 'The operator key is missing or not valid.' };
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual({ success: false, request_id: expect.any(String), error });
    }
  });

  test('a key that is expired is 401', async () => {
    const { key } = await newOperator({ notAfter: '2020-01-01T00:00:00Z' });
    const later = await newOperator({});
    await later.known();

    expect(codeOf(await ask(paths[1]!, key))).toEqual([401, 'INVALID_OPERATOR_KEY']);
  });

  test('an operator without the role is 403 everywhere, and that is written down', async () => {
    const { key, name, known } = await newOperator({ roles: ['close-day', 'dead-letters', 'sweeper:agree'] });
    await known();

    const answers = await Promise.all(paths.map((path) => ask(path, key)));

    expect(answers.map(codeOf)).toEqual(paths.map(() => [403, 'FORBIDDEN']));
    expect(auditOf(name)).toContainEqual(
      expect.objectContaining({ event: 'operator.refused', outcome: 'FORBIDDEN', level: 'warn' }),
    );
  });

  test('an operator for one cafe reads that cafe alone, and does not learn what others have', async () => {
    const stack = await theStack();
    const [own, other] = [cafeOf(stack, 0).cafeId, cafeOf(stack, 1).cafeId];
    const { key, known } = await newOperator({ roles: ['statements:read'], cafes: [own] });
    const players = [await newPlayer(stack), await newPlayer(stack, { cafe: 1 })];
    for (const { server, id } of players) await server.end(id);
    for (const { id } of players)
      await eventually(
        () => askSettlement(stack, `sessions/${id}`),
        ({ status }) => status === 200,
      );
    await known();

    const sessions = await Promise.all(players.map(({ id }) => ask(`sessions/${id}`, key)));
    expect(sessions.map(({ status }) => status)).toEqual([200, 404]);
    expect(codeOf(sessions[1]!)).toEqual(codeOf(await ask(paths[0]!, key)));
    expect((await ask(`statements?day=${day}&cafe=${own}`, key)).status).toBe(200);
    for (const path of [`statements?day=${day}`, `statements?day=${day}&cafe=${other}`, paths[2]!])
      expect(codeOf(await ask(path, key))).toEqual([403, 'FORBIDDEN']);
  });

  test('an operator for one game reads that game alone', async () => {
    const stack = await theStack();
    const { key, known } = await newOperator({ roles: ['statements:read'], games: [gameIdOf(stack, 0)] });
    await known();

    expect((await ask(`statements?day=${day}&game=${gameIdOf(stack, 0)}`, key)).status).toBe(200);
    const other = await ask(`statements?day=${day}&game=${gameIdOf(stack, 1)}`, key);
    expect(codeOf(other)).toEqual([403, 'FORBIDDEN']);
  });

  test('a key that is taken out stops within ten seconds', async () => {
    const { key, name, known } = await newOperator({});
    await known();

    rmSync(join(catalog, `${name}.yaml`));

    const status = async () => (await ask(paths[1]!, key)).status;
    expect(await eventually(status, (seen) => seen === 401, 10_000)).toBe(401);
  });

  test('who read what is written down, without the key', async () => {
    const { key, name, known } = await newOperator({});
    await known();

    await ask(`statements?day=2026-11-19&cafe=cafe-seoul-01`, key);

    expect(auditOf(name)).toContainEqual(
      expect.objectContaining({
        ...{ event: 'operator.acted', operation: 'statement', outcome: 'done' },
        ...{ day: '2026-11-19', cafe_id: 'cafe-seoul-01', request_id: expect.any(String) },
      }),
    );
    expect(JSON.stringify(auditOf(name))).not.toContain(key.slice('Bearer '.length));
  });
});

describe('the reconciliation of an open day', () => {
  const client = new Client({ connectionString: process.env['DATABASE_URL'] });
  beforeAll(() => client.connect());
  afterAll(() => client.end());
  const openDay = '2033-03-03';
  const reconcile = async () => askReconciliation(await theStack(), openDay);

  test('is asked for by one at a time: another is 429 and hears when to try again', async () => {
    await client.query('select pg_advisory_lock(5120207)');
    const busy = await askSettlement(await theStack(), `reconciliations/${openDay}`);
    await client.query('select pg_advisory_unlock(5120207)');

    expect([busy.status, busy.headers['retry-after']]).toEqual([429, '5']);
    expect((await reconcile()).status).toBe(200);
  });

  test('does not wait for who is writing the ledger', async () => {
    await client.query('begin');
    await client.query("insert into confirmations values ('gs_of-the-test', 1)");
    const answer = await reconcile();
    await client.query('rollback');

    expect(answer.status).toBe(200);
  });

  test('gives its connection back: forty in a row need no more than the pool has', async () => {
    for (let count = 0; count < 40; count += 1) expect((await reconcile()).status).toBe(200);
  });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('the ops port does not take %s', async (method) => {
  for (const { ops } of (await theStack()).processes) {
    const answer = await send({ method, url: `${ops}/sweeper/agree` });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET']);
  }
});
