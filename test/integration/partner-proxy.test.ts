import { randomUUID } from 'node:crypto';
import { faultBody } from '#simulators/partner/control-api.ts';
import { partnerStatementOverHttp } from '../../services/settlement/closing/http-partner-statement.ts';
import type { Conduct } from '../support/connect-proxy.ts';
import { until } from '../support/eventually.ts';
import { startProxiedPartner, token } from './partner-proxy-harness.ts';

let world: Awaited<ReturnType<typeof startProxiedPartner>>;
beforeAll(async () => {
  world = await startProxiedPartner();
});
afterAll(() => world.stop());

const newProxy = (login?: string) => world.newProxy(login);
const through = (...args: Parameters<typeof world.through>) => world.through(...args);
const known = { outcome: 'known', cafeId: 'cafe-seoul-01' };
const login = { username: 'gsb', password: 'p@ss: word/ü' };

const order = {
  cafeId: 'cafe-seoul-01',
  pcId: `pc_${'0'.repeat(32)}`,
  gameId: 'starfall',
  providerUserId: 'u-1',
};
const startOf = (gameSessionId: string) => ({ ...order, gameSessionId, startedAtMs: Date.now() });
const newId = () => `gs_${randomUUID()}`;

describe('the partner is called by a proxy', () => {
  test('that knows us by a user and a password of any characters, and each call is answered as without one', async () => {
    const proxy = await newProxy('gsb:p@ss: word/ü');
    const { client, check } = through(proxy, login);
    const id = newId();
    const stop = {
      ...{ gameSessionId: id, playDurationSec: 1, stoppedAtMs: Date.now() },
      ...{ reason: 'game_ended', played: null },
    };

    expect(await check()).toEqual(known);
    expect(await client.start(startOf(id))).toMatchObject({ outcome: 'started' });
    expect(await client.renew(id, 1, Date.now())).toMatchObject({ outcome: 'renewed' });
    expect(await client.stop(stop)).toMatchObject({ outcome: 'stopped' });
    expect(new Set(proxy.targets)).toEqual(new Set([`CONNECT partner.test:${world.partner.port}`]));
  });

  test('that sees an address and TLS, and neither the token nor a word of a call', async () => {
    const proxy = await newProxy();
    const { client } = through(proxy);

    expect(await client.start(startOf(newId()))).toMatchObject({ outcome: 'started' });

    expect(proxy.passed().length).toBeGreaterThan(0);
    expect(proxy.passed()).not.toMatch(/a-token-of-a-test|gs_|HTTP\/1/);
  });

  test('and is believed under the name of its certificate alone', async () => {
    const proxy = await newProxy();
    const { check, logged } = through(proxy, undefined, world.impostorUrl);

    expect(await check()).toMatchObject({ outcome: 'unknown', isOutage: true });
    expect(logged).toMatchObject([{ operation: 'check', reason: expect.stringContaining('altnames') }]);
  });

  test('over as many connections as each operation has, which stay open', async () => {
    const proxy = await newProxy();
    const { client } = through(proxy);

    const hundred = () => Promise.all(Array.from({ length: 100 }, () => client.start(startOf(newId()))));
    const outcomes = [...(await hundred()), ...(await hundred())].map(({ outcome }) => outcome);

    expect(new Set(outcomes)).toEqual(new Set(['started']));
    expect(proxy.targets).toHaveLength(16);
  });
});

describe('a proxy that fails is a failure of the partner, which its log names, and no call hangs', () => {
  const failures: [how: string, conduct: Conduct, reason: string][] = [
    [
      'does not know us',
      407,
      'the proxy refused the tunnel: status 407, it does not take our user and password',
    ],
    ['may not call the partner', 403, 'the proxy refused the tunnel: status 403'],
    ['finds no partner', 502, 'the proxy refused the tunnel: status 502'],
    ['accepts and says nothing', 'silent', 'the proxy cannot be had: it opened no tunnel within 1500 ms'],
    ['opens a tunnel that leads nowhere', 'open, then silent', 'no TLS through the proxy within 1500 ms'],
  ];
  test.each(failures)('one that %s', async (_, conduct, reason) => {
    const proxy = await newProxy();
    const { check, logged } = through(proxy);
    proxy.world.conduct = conduct;
    const started = performance.now();

    const outcome = await check();
    const took = performance.now() - started;
    proxy.world.conduct = 'open';

    expect(outcome).toEqual({ outcome: 'unknown', reason, isOutage: true });
    expect(took).toBeLessThan(10_000);
    expect(logged).toEqual([
      { operation: 'check', reason, message: 'the partner gave no answer to believe' },
    ]);
    expect(await check()).toEqual(known);
  });

  test('one that is away', async () => {
    const proxy = await newProxy();
    const { check, logged } = through(proxy);
    await proxy.stop();

    const outcome = await check();
    await proxy.restart();

    expect(outcome).toMatchObject({ outcome: 'unknown', isOutage: true });
    expect(logged).toMatchObject([
      { reason: expect.stringMatching(/^the proxy cannot be had: .*ECONNREFUSED/) },
    ]);
    expect(await check()).toEqual(known);
  });

  test('one whose password we do not have any more', async () => {
    const proxy = await newProxy('gsb:another');
    const { check, logged } = through(proxy, login);

    expect(await check()).toMatchObject({ outcome: 'unknown' });
    expect(JSON.stringify(logged)).toContain('it does not take our user and password');
    expect(JSON.stringify(logged)).not.toContain('p@ss');
  });

  test('one that goes away with a call in hand: it has no outcome, and the next is made by a new tunnel', async () => {
    const proxy = await newProxy();
    const { client } = through(proxy);
    world.partner.faults.put(
      faultBody.parse({ operation: 'start', mode: 'late_reply', delay_ms: 1_000, count: 1 }),
    );
    const started = () => world.partner.ledger.billings().length;
    const before = started();

    const inHand = client.start(startOf(newId()));
    await until(async () => started() > before, 'the partner has the call');
    proxy.cut();

    expect(await inHand).toMatchObject({ outcome: 'unknown', isOutage: true });
    expect(await client.start(startOf(newId()))).toMatchObject({ outcome: 'started' });
    expect(proxy.targets).toHaveLength(2);
  });

  test('and opens the circuit, so that calls have no outcome at once while it is away (D-27)', async () => {
    const proxy = await newProxy();
    const { check, logged } = through(proxy);
    proxy.world.conduct = 502;

    await until(async () => (await check()) && proxy.targets.length >= 5, 'the proxy was asked');
    await until(async () => logged.length >= 2, 'the circuit opened');
    const asked = proxy.targets.length;
    await Promise.all(Array.from({ length: 20 }, check));

    expect(proxy.targets.length).toBe(asked);
    expect(logged.map(({ message }) => message)).toEqual([
      'the partner gave no answer to believe',
      'the partner is left alone: half of the calls failed',
    ]);
  });
});

describe("the partner's own statement", () => {
  const day = new Date().toISOString().slice(0, 10);
  const read = async (proxy: { url: string }) => {
    const batches = [];
    for await (const batch of partnerStatementOverHttp({
      url: world.url,
      token,
      proxy: { ...proxy, login: undefined },
    })(day))
      batches.push(...batch);
    return batches;
  };

  test('is read by the proxy too', async () => {
    const proxy = await newProxy();

    await read(proxy);

    expect(proxy.targets).toEqual([`CONNECT partner.test:${world.partner.port}`]);
  });

  test('cannot be had while the proxy refuses, and says why', async () => {
    const proxy = await newProxy();
    proxy.world.conduct = 502;

    await expect(read(proxy)).rejects.toThrow(
      /statement of .* cannot be had: .*the proxy refused the tunnel: status 502/,
    );
  });
});
