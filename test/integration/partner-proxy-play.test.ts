import { startConnectProxy } from '../support/connect-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { billingOf, newPlayer } from '../support/suite-stack.ts';

const proxy = await startConnectProxy('gsb:a password');
afterAll(() => proxy.stop());
const own = useOwnStack({
  PARTNER_PROXY_URL: proxy.url,
  PARTNER_PROXY_USERNAME: 'gsb',
  PARTNER_PROXY_PASSWORD: 'a password',
});
const stopped = (id: string) =>
  eventually(
    () => billingOf(own.stack.facts(), id),
    (billing) => billing?.status === 'stopped',
    40_000,
  );

test('play is billed by calls that all go through the proxy; a stop that came while it was away is confirmed when it is back', async () => {
  const [first, second] = [await newPlayer(own.stack.facts()), await newPlayer(own.stack.facts())];
  await first.server.end(first.id);
  await stopped(first.id);
  await proxy.stop();

  const ended = await second.server.end(second.id);
  const away = await billingOf(own.stack.facts(), second.id);
  await proxy.restart();
  const confirmed = await stopped(second.id);

  const { host } = new URL(own.stack.facts().partner.url);
  expect(new Set(proxy.targets)).toEqual(new Set([`CONNECT ${host}`]));
  expect(ended).toMatchObject({ ok: true, data: { result: 'SUCCESS' } });
  expect(away?.status).toBe('started');
  expect(confirmed?.requests).toMatchObject({ start: 1, stop: 1 });
}, 90_000);
