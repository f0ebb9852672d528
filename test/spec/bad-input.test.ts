import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { gameServerOf, newOtt, newPlayer, theStack } from '../support/suite-stack.ts';
import { ask, expectRefusal, operationNames, operations, sitDown } from './edges.ts';
import type { Operation } from './edges.ts';

const long = (length: number) => 'x'.repeat(length);
const notAText = [null, 1, true, {}, []];

/** A body that is right but for one field; `undefined` leaves the field out. */
const bodyWith = (operation: Operation, field: string, value: unknown): string => {
  const body = structuredClone(operations[operation].body()) as Record<string, unknown>;
  const [head = '', tail] = field.split('.');
  if (tail === undefined) return JSON.stringify({ ...body, [head]: value });
  return JSON.stringify({ ...body, [head]: { ...(body[head] as object), [tail]: value } });
};

const uuidLike = ['', 'x', ` ${randomUUID()}`, randomUUID().replace('-', ''), long(200)];
const users = ['', long(129), '🎮'.repeat(129), 'a\u0000b', 'a\nb', '\ud800'];
const facts = (['mac', 'os', 'cpu', 'gpu'] as const).map((name): [Operation, string, unknown[]] => [
  'session start',
  `hardware.${name}`,
  [...notAText, long(129)],
]);

describe('bad input: every field of every body missing, null, of the wrong type, empty, too long (D-19)', () => {
  test.each<[Operation, string, unknown[]]>([
    ['verify', 'ott', [undefined, ...notAText, ...uuidLike, 'c9a646d3-9c61-1cb7-bfcd-ee2522c8f633']],
    ['verify', 'provider_user_id', [undefined, ...notAText, ...users]],
    ['heartbeat', 'game_session_id', [undefined, ...notAText, ...uuidLike, 'gs_', randomUUID()]],
    ['heartbeat', 'provider_user_id', [undefined, ...notAText, ...users]],
    ['end', 'game_session_id', [undefined, ...notAText, ...uuidLike, `GS_${randomUUID()}`]],
    ['end', 'play_duration_sec', [null, '1', '', true, {}, [], -1, 1.5, 604_801, 1e300]],
    ['session start', 'internal_ip', [undefined, ...notAText, '', 'here', '10.0.0', '10.0.0.1/8', long(200)]],
    ['session start', 'hardware', [undefined, null, 1, true, '', 'x', []]],
    ['session start', 'hardware.machine_id', [undefined, ...notAText, '', long(129), '🎮'.repeat(129)]],
    ...facts,
    ['session start', 'hardware.ram_mb', [null, '1', true, {}, -1, 1.5, 16_777_217]],
    ['ott', 'game_id', [undefined, ...notAText, '', 'Starfall', 'a b', '../x', '-a', long(64)]],
  ])('%s, %s: 400 BAD_REQUEST for each value', async (operation, field, values) => {
    for (const value of values) {
      expectRefusal(await ask(operation, bodyWith(operation, field, value)), 'BAD_REQUEST');
    }
  });

  test.each(operationNames)('%s: the same bodies, right, are not 400', async (operation) => {
    const { status } = await ask(operation, JSON.stringify(operations[operation].body()));

    expect(status).not.toBe(400);
  });
});

describe('bad input: a body that is no object of the contract', () => {
  test.each<[what: string, body: string | Buffer]>([
    ['empty', ''],
    ['blank', ' \n'],
    ['cut short', '{"ott":'],
    ['JSON with something after it', '{} {}'],
    ['a single quote', "{'ott': 'x'}"],
    ['[]', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['a number', '1e999'],
    ['{"__proto__": {}}', '{"__proto__": {}}'],
    [
      '__proto__ with our fields',
      '{"__proto__": {"ott": "x", "game_id": "starfall", "internal_ip": "10.0.0.1"}}',
    ],
    ['constructor.prototype', '{"constructor": {"prototype": {"game_id": "starfall"}}}'],
    ['nested 8,000 deep', '['.repeat(8_000) + ']'.repeat(8_000)],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['UTF-8 cut in a letter', Buffer.from([0x22, 0xed, 0x95])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['form fields', 'ott=x&provider_user_id=u1'],
  ])('%s: 400 BAD_REQUEST for each operation', async (_, body) => {
    for (const operation of operationNames) expectRefusal(await ask(operation, body), 'BAD_REQUEST');
  });

  test.each(['text/plain', 'application/jsonx', 'application/json-patch+json', 'multipart/form-data', ''])(
    'Content-Type %j: 400 BAD_REQUEST for each operation',
    async (type) => {
      for (const operation of operationNames) {
        const body = JSON.stringify(operations[operation].body());
        const answer = await ask(operation, body, { headers: { 'Content-Type': type } });
        expectRefusal(answer, 'BAD_REQUEST');
      }
    },
  );

  test('a polluted prototype changes nothing for whoever comes next', async () => {
    await ask('verify', '{"__proto__": {"is_valid": true, "provider_user_id": "u1"}, "ott": "x"}');

    expectRefusal(await ask('verify', '{}'), 'BAD_REQUEST');
    expect(Object.hasOwn(Object.prototype, 'is_valid')).toBe(false);
  });
});

describe('bad input: nothing is stored', () => {
  test('a refused verify leaves the token, and the Idempotency-Key, as they were', async () => {
    const { ott } = await newOtt(await theStack());
    const headers = { 'Idempotency-Key': randomUUID() };

    expectRefusal(await ask('verify', JSON.stringify({ ott }), { headers }), 'BAD_REQUEST');

    const body = JSON.stringify({ ott, provider_user_id: 'u1' });
    expect(await ask('verify', body, { headers })).toMatchObject({ body: { data: { is_valid: true } } });
  });

  test('a refused end leaves the session playing', async () => {
    const { server, id, user } = await newPlayer(await theStack());
    const body = JSON.stringify({ game_session_id: id, play_duration_sec: -1 });

    expectRefusal(await ask('end', body), 'BAD_REQUEST');

    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });
  });

  test('a refused session start leaves the launcher session of its PC, a refused OTT request its token', async () => {
    const machine_id = randomUUID();
    const token = await sitDown(machine_id);
    const asked = await ask('ott', '{"game_id":"starfall"}', { token });
    const { ott } = (asked.body as { data: { ott: string } }).data;

    const again = JSON.stringify({ internal_ip: 'here', hardware: { machine_id } });
    expectRefusal(await ask('session start', again), 'BAD_REQUEST');
    expectRefusal(await ask('ott', '{"game_id":"Starfall"}', { token }), 'BAD_REQUEST');
    expectRefusal(await ask('ott', '{"game_id":"no-such-game"}', { token }), 'GAME_NOT_FOUND');

    expect(await gameServerOf(await theStack()).verify(ott, 'u1')).toMatchObject({ data: { isValid: true } });
    expect((await ask('ott', '{"game_id":"starfall"}', { token })).status).toBe(200);
  });

  test('what a refused request said is nowhere in Redis', async () => {
    const mark = randomUUID();
    const bodies: [Operation, object][] = [
      ['verify', { ott: mark, provider_user_id: `${mark}\u0000` }],
      ['heartbeat', { game_session_id: mark, provider_user_id: mark }],
      ['end', { game_session_id: mark }],
      ['session start', { internal_ip: mark, hardware: { machine_id: mark } }],
    ];
    for (const [operation, body] of bodies)
      expectRefusal(await ask(operation, JSON.stringify(body)), 'BAD_REQUEST');
    const redis = new Redis((await theStack()).redis.url);

    const names = await redis.keys('*');
    const values = await Promise.all(names.map((name) => redis.dump(name)));
    redis.disconnect();

    expect([...names, ...values].filter((text) => text?.includes(mark))).toEqual([]);
  });
});
