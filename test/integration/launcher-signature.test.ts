import { randomUUID } from 'node:crypto';
import { npmSigned } from '../support/npm-signature.ts';
import type { NpmSigning } from '../support/npm-signature.ts';
import { send } from '../support/raw.ts';
import { cafeOf, theStack } from '../support/suite-stack.ts';

const tenMinutesMs = 600_000;
const newBody = () =>
  JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id: randomUUID(), os: 'Windows 11' } });

/** A session start of the first cafe, signed by npm's library; `forwarded`: what stands in X-Forwarded-For, if anything. */
const start = async ({
  forwarded,
  headers,
  ...change
}: Partial<NpmSigning> & { forwarded?: string | null; headers?: Record<string, string> } = {}) => {
  const stack = await theStack();
  const { keyId, secret, ip } = cafeOf(stack, 0);
  const url = `${stack.launcher.url}/v1/session/start`;
  const request = { url, method: 'POST', body: newBody(), keyId, secret, ...change };
  const from = forwarded === null ? {} : { 'X-Forwarded-For': forwarded ?? ip };
  const signed = await npmSigned(request);
  const answer = await send({ ...request, headers: { ...signed, ...from, ...headers } });
  return { ...answer, body: answer.body as { data: object; error: { code: string; server_time: string } } };
};

const refused = {
  status: 401,
  body: {
    success: false,
    request_id: expect.stringMatching(/^req_/),
    error: {
      code: 'INVALID_SIGNATURE',
      message: expect.any(String),
      server_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  },
};

describe('a launcher that signs with a library nobody here wrote (D-14)', () => {
  test('is let in', async () => {
    const { status, body } = await start();

    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        data: expect.objectContaining({ session_token: expect.stringMatching(/^gsbl_/) }),
      }),
    ]);
  });

  test('is let in once with a nonce, however many try it at once', async () => {
    const nonce = randomUUID();

    const answers = await Promise.all(Array.from({ length: 8 }, () => start({ nonce })));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(401)]);
    expect(await start({ nonce })).toMatchObject(refused);
  });

  test('a request that was recorded is refused when it is sent again, byte for byte', async () => {
    const stack = await theStack();
    const { keyId, secret, ip } = cafeOf(stack, 0);
    const url = `${stack.launcher.url}/v1/session/start`;
    const request = { url, method: 'POST', body: newBody(), keyId, secret };
    const recorded = { ...request, headers: { ...(await npmSigned(request)), 'X-Forwarded-For': ip } };

    expect(await send(recorded)).toMatchObject({ status: 200 });
    expect(await send(recorded)).toMatchObject(refused);
  });

  test.each([
    ['slow', -tenMinutesMs],
    ['fast', tenMinutesMs],
  ])('whose clock is ten minutes %s hears our time, and can correct itself', async (_, offMs) => {
    const wrong = await start({ created: new Date(Date.now() + offMs) });
    expect(wrong).toMatchObject(refused);

    const right = await start({ created: new Date(wrong.body.error.server_time) });

    expect(right.status).toBe(200);
  });

  test.each([-290_000, 290_000])('whose clock is %i ms off is within the window', async (offMs) => {
    expect(await start({ created: new Date(Date.now() + offMs) })).toMatchObject({ status: 200 });
  });

  test.each<[string, Parameters<typeof start>[0]]>([
    ['an unknown key id', { keyId: 'cafe-seoul-01.k9' }],
    ["another cafe's key id", { keyId: 'cafe-busan-01.k1' }],
    ['another secret', { secret: Buffer.alloc(32, 1) }],
    ['a signature of other bytes', { headers: { Signature: 'sig1=:AAAA:' } }],
    ['no digest', { headers: { 'Content-Digest': '' } }],
    ['fields that are noise', { headers: { 'Signature-Input': '\u00ff((' } }],
  ])('%s: the same 401, which tells nothing more', async (_, change) => {
    const answer = await start(change);

    expect({ status: answer.status, body: answer.body }).toEqual(refused);
  });

  test('a signature for one endpoint opens no other', async () => {
    const stack = await theStack();
    const { keyId, secret, ip } = cafeOf(stack, 0);
    const request = { method: 'POST', body: newBody(), keyId, secret };
    const signed = await npmSigned({ ...request, url: `${stack.launcher.url}/v1/ott` });

    const url = `${stack.launcher.url}/v1/session/start`;
    expect(await send({ ...request, url, headers: { ...signed, 'X-Forwarded-For': ip } })).toMatchObject(
      refused,
    );
  });
});

describe('the address is the other half of the credential', () => {
  test.each<[string, string | null, number, string]>([
    ["another cafe's address", '203.0.113.20', 403, 'NOT_PC_CAFE'],
    ['an address nobody knows', '198.51.100.7', 403, 'NOT_PC_CAFE'],
    ['a private address', '192.168.0.17', 403, 'NOT_PC_CAFE'],
    ['no X-Forwarded-For at all', null, 403, 'NOT_PC_CAFE'],
    ["the cafe's address, left of the truth", '203.0.113.10, 198.51.100.7', 403, 'NOT_PC_CAFE'],
    ['a malformed address', '203.0.113.256', 400, 'BAD_REQUEST'],
    ['a malformed entry to the left', 'me, 203.0.113.10', 400, 'BAD_REQUEST'],
    ['an empty entry', '203.0.113.10,', 400, 'BAD_REQUEST'],
  ])('%s (%s): %i %s', async (_, forwarded, status, code) => {
    expect(await start({ forwarded })).toMatchObject({ status, body: { success: false, error: { code } } });
  });

  test('the last entry counts, whatever was written before it', async () => {
    expect(await start({ forwarded: '198.51.100.7, 10.0.0.1, 203.0.113.10' })).toMatchObject({ status: 200 });
  });

  test.each(['X-Real-IP', 'Forwarded', 'True-Client-IP', 'CF-Connecting-IP', 'X-Client-IP'])(
    '%s is not read',
    async (name) => {
      const lie = name === 'Forwarded' ? 'for=203.0.113.10' : '203.0.113.10';

      expect(await start({ forwarded: '198.51.100.7', headers: { [name]: lie } })).toMatchObject({
        status: 403,
      });
    },
  );
});
