import { startProxiedPartner } from './partner-proxy-harness.ts';

let world: Awaited<ReturnType<typeof startProxiedPartner>>;
beforeAll(async () => {
  world = await startProxiedPartner();
});
afterAll(() => world.stop());

const login = { username: 'gsb', password: 'a password' };

test('a proxy that wants a password is spoken to by TLS, and TLS to the partner goes through that', async () => {
  const proxy = await world.newProxy('gsb:a password', 'localhost');
  const { check } = world.through(proxy, login);

  expect(await check()).toMatchObject({ outcome: 'known' });
  expect(proxy.targets).toEqual([`CONNECT partner.test:${world.partner.port}`]);
  expect(proxy.passed()).not.toMatch(/a-token-of-a-test|HTTP\/1/);
});

test('a proxy is believed under the name of its certificate alone, and hears no password before', async () => {
  const proxy = await world.newProxy('gsb:a password', 'elsewhere.test');
  const { check, logged } = world.through(proxy, login);

  expect(await check()).toMatchObject({ outcome: 'unknown', isOutage: true });
  expect(logged).toMatchObject([
    { reason: expect.stringMatching(/^the proxy cannot be had: .*certificate's altnames/) },
  ]);
  expect(proxy.targets).toEqual([]);
});
