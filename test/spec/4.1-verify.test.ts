import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/raw.ts';
import { gameIdOf, gameServerOf, limits, newOtt, newPlayer, theStack } from '../support/suite-stack.ts';

const path = '/v1/game/session/verify';

/** A verify as curl would send it. */
const rawVerify = async (body: object, headers: Record<string, string> = {}) => {
  const stack = await theStack();
  const key = stack.game.games[0]!.api_keys[0]!;
  return send({
    method: 'POST',
    url: stack.game.url + path,
    headers: { 'X-Api-Key': key, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
};

describe('spec 4.1 success: the answer of a verify', () => {
  test('has exactly the fields is_valid, game_session_id and is_pc_cafe, in the envelope of 2.3', async () => {
    const { ott } = await newOtt(await theStack());

    const { status, body } = await rawVerify({ ott, provider_user_id: 'u1' });

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      request_id: expect.stringMatching(/^req_/),
      data: {
        is_valid: true,
        game_session_id: expect.stringMatching(
          /^gs_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        ),
        is_pc_cafe: true,
      },
    });
  });

  test('a failure has exactly the fields is_valid and reason: no session id, no flag', async () => {
    const { status, body } = await rawVerify({ ott: randomUUID(), provider_user_id: 'u1' });

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      request_id: expect.stringMatching(/^req_/),
      data: { is_valid: false, reason: expect.any(String) },
    });
  });

  test('the token is taken in either case', async () => {
    const { ott } = await newOtt(await theStack());

    const { body } = await rawVerify({ ott: ott.toUpperCase(), provider_user_id: 'u1' });

    expect(body).toMatchObject({ data: { is_valid: true } });
  });
});

describe('spec 4.1 reasons and spec 4.1 failure: each HTTP 200 with success true, is_valid false and a reason', () => {
  const failure = (reason: string) => ({
    success: true,
    request_id: expect.stringMatching(/^req_/),
    data: { is_valid: false, reason },
  });

  test('OTT_EXPIRED: more than the TTL since issuance', async () => {
    const stack = await theStack();
    const { ott } = await newOtt(stack);
    const issuedAt = performance.now();
    await eventually(
      async () => performance.now() - issuedAt,
      (ms) => ms > limits.ottTtl * 1000,
    );

    const { status, body } = await rawVerify({ ott, provider_user_id: 'u1' });

    expect([status, body]).toEqual([200, failure('OTT_EXPIRED')]);
  });

  test('OTT_EXPIRED: a well-formed token that nobody knows (D-04)', async () => {
    const { body } = await rawVerify({ ott: randomUUID(), provider_user_id: 'u1' });

    expect(body).toEqual(failure('OTT_EXPIRED'));
  });

  test('OTT_EXPIRED: a token that a newer one for the same PC and game has voided', async () => {
    const stack = await theStack();
    const { pc, ott } = await newOtt(stack);
    const newer = await pc.requestOtt(gameIdOf(stack));

    expect((await rawVerify({ ott, provider_user_id: 'u1' })).body).toEqual(failure('OTT_EXPIRED'));
    expect(await gameServerOf(stack).verify(newer.ok ? newer.data.ott : '', 'u1')).toMatchObject({
      data: { isValid: true },
    });
  });

  test('OTT_ALREADY_USED: a token that was consumed', async () => {
    const { ott } = await newPlayer(await theStack());

    expect((await rawVerify({ ott, provider_user_id: 'u1' })).body).toEqual(failure('OTT_ALREADY_USED'));
  });

  test("GAME_MISMATCH: another game's key, and the token is not consumed by it (D-03)", async () => {
    const stack = await theStack();
    const { ott } = await newOtt(stack, { game: 1 });

    expect((await rawVerify({ ott, provider_user_id: 'u1' })).body).toEqual(failure('GAME_MISMATCH'));
    expect(await gameServerOf(stack, 1).verify(ott, 'u1')).toMatchObject({ data: { isValid: true } });
  });

  test('a token is spent exactly once, however many verifies race for it', async () => {
    const stack = await theStack();
    const { ott } = await newOtt(stack);

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => gameServerOf(stack).verify(ott, 'u1')),
    );

    const valid = answers.filter((answer) => answer.ok && answer.data.isValid);
    const reasons = answers.map((answer) =>
      answer.ok && !answer.data.isValid ? answer.data.reason : 'valid',
    );
    expect([valid.length, new Set(reasons)]).toEqual([1, new Set(['valid', 'OTT_ALREADY_USED'])]);
  });
});

describe('spec 4.1 request: both fields are required', () => {
  test.each(['ott', 'provider_user_id'])(
    'without %s it is 400, and the token is as good as before',
    async (field) => {
      const { ott } = await newOtt(await theStack());
      const whole: Record<string, string> = { ott, provider_user_id: 'u1' };

      const partial = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));

      expect(await rawVerify(partial)).toMatchObject({ status: 400 });
      expect(await rawVerify(whole)).toMatchObject({ body: { data: { is_valid: true } } });
    },
  );

  test('fields that the contract does not name are ignored (D-02)', async () => {
    const { ott } = await newOtt(await theStack());

    const { body } = await rawVerify({ ott, provider_user_id: 'u1', is_valid: false, cafe_id: 'x' });

    expect(body).toMatchObject({ data: { is_valid: true } });
  });
});

describe('D-15: an Idempotency-Key on verify', () => {
  test('the same key and body hears the same answer, byte for byte in its data', async () => {
    const { ott } = await newOtt(await theStack());
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await rawVerify({ ott, provider_user_id: 'u1' }, key);

    const again = await rawVerify({ ott, provider_user_id: 'u1' }, key);

    expect(again.body).toEqual({ ...(first.body as object), request_id: expect.stringMatching(/^req_/) });
    expect(first.body).toMatchObject({ data: { is_valid: true } });
  });

  test('the same key with another body is 422', async () => {
    const { ott } = await newOtt(await theStack());
    const key = { 'Idempotency-Key': randomUUID() };
    await rawVerify({ ott, provider_user_id: 'u1' }, key);

    const other = await rawVerify({ ott, provider_user_id: 'u2' }, key);

    expect(other).toMatchObject({
      status: 422,
      body: { success: false, error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });

  test('while the first is in flight, a second is 409; once it is answered, the second hears the same', async () => {
    const stack = await theStack();
    const pair = async () => {
      const { ott } = await newOtt(stack);
      const key = { 'Idempotency-Key': randomUUID() };
      return Promise.all([1, 2].map(() => rawVerify({ ott, provider_user_id: 'u1' }, key)));
    };

    const pairs = await Promise.all(Array.from({ length: 10 }, pair));

    const inFlight = { status: 409, body: { error: { code: 'REQUEST_IN_FLIGHT' } } };
    const refused = pairs.flat().filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const each of refused) expect(each).toMatchObject(inFlight);
    for (const accepted of pairs.map((both) => both.filter(({ status }) => status === 200)))
      for (const { body } of accepted)
        expect(body).toMatchObject({ data: (accepted[0]!.body as { data: object }).data });
  });

  test('a key that is no key is 400', async () => {
    const { status } = await rawVerify(
      { ott: randomUUID(), provider_user_id: 'u1' },
      { 'Idempotency-Key': 'x'.repeat(256) },
    );

    expect(status).toBe(400);
  });
});
