import { connect } from 'node:net';
import { once } from 'node:events';
import { useOwnStack } from '../support/own-stack.ts';
import { cafeOf, newPlayer } from '../support/suite-stack.ts';
import { signedStart } from '../support/signed-start.ts';

const own = useOwnStack({
  RATE_LIMITS: 'off',
  RATE_STARTS_PER_ADDRESS: '1/600',
  RATE_FAILURES_PER_ADDRESS: '1/600',
  HTTP_MAX_CONNECTIONS: '20',
});

test('RATE_LIMITS=off: nothing is limited (D-42)', async () => {
  const stack = own.stack.facts();
  const player = await newPlayer(stack);
  const wrong = { from: cafeOf(stack, 1).ip, secret: Buffer.alloc(32, 1) };

  for (let at = 0; at < 3; at += 1) {
    expect(await signedStart(stack, wrong)).toMatchObject({ status: 401 });
    expect(await signedStart(stack)).toMatchObject({ status: 200 });
  }
  for (let at = 0; at < 20; at += 1)
    expect(await player.server.heartbeat(player.id, player.user)).toMatchObject({ data: { result: 'OK' } });
});

/** A connection that sends nothing, and how long it was kept, in ms. */
const silent = async (): Promise<number> => {
  const { hostname, port } = new URL(own.stack.facts().launcher.url);
  const opened = performance.now();
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket.resume(), 'close');
  return performance.now() - opened;
};

test('a server takes so many connections and closes more at once; silent ones are closed too, and then there is room again', async () => {
  const kept = await Promise.all(Array.from({ length: 30 }, silent));

  expect(kept.filter((ms) => ms < 6_000).length).toBeGreaterThanOrEqual(10);
  expect(kept.filter((ms) => ms > 8_000).length).toBeGreaterThanOrEqual(15);
  expect(Math.max(...kept)).toBeLessThan(15_000);
  expect(await signedStart(own.stack.facts())).toMatchObject({ status: 200 });
}, 30_000);
