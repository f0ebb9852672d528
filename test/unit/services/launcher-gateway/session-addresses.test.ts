import { Refusal } from '#libs/contracts/errors.ts';
import { waitingCaller } from '../../../support/incoming.ts';
import { heartbeatSession } from '../../../../services/launcher-gateway/usecases/heartbeat-session.ts';
import { requestOtt } from '../../../../services/launcher-gateway/usecases/request-ott.ts';
import { PartnerSilent } from '../../../../services/launcher-gateway/usecases/support/check-cafe-address.ts';
import { callerOf, newWorld, start } from './launcher-world.ts';
import type { LauncherWorld } from './launcher-world.ts';

const beat = (world: LauncherWorld, ip?: string) =>
  heartbeatSession(world.ports)({ caller: callerOf(world, ip) } as Parameters<
    ReturnType<typeof heartbeatSession>
  >[0]);
const askForToken = (world: LauncherWorld) =>
  requestOtt(world.ports)({
    ...{ caller: callerOf(world), incoming: waitingCaller, body: { gameId: 'starfall' } },
  } as Parameters<ReturnType<typeof requestOtt>>[0]);

test('once the partner knows the address of a launcher session no more, its heartbeats and tokens are refused (D-45)', async () => {
  const world = newWorld();
  await start(world);
  world.verdict = { verdict: 'unknown' };
  await expect(beat(world)).resolves.toMatchObject({ result: 'OK' });

  world.forgetAddresses();

  await expect(beat(world)).rejects.toMatchObject({ code: 'NOT_PC_CAFE' });
  await expect(askForToken(world)).rejects.toMatchObject({ code: 'NOT_PC_CAFE' });
});

test('where nobody may ask the partner any more, a session goes on at its own address, and at no other one (D-42, D-45)', async () => {
  const world = newWorld();
  await start(world);
  world.forgetAddresses();
  world.ports.rateLimits.ask = () => Promise.reject(new Refusal('RATE_LIMITED'));

  await expect(beat(world)).resolves.toMatchObject({ result: 'OK' });
  await expect(askForToken(world)).resolves.toMatchObject({ gameId: 'starfall' });
  await expect(beat(world, '203.0.113.8')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

test('where nobody may ask the partner any more, what it said last stands (D-45)', async () => {
  const world = newWorld();
  await start(world);
  world.ports.cafeCache.get = async () => ({ cafeId: null, isFresh: false });
  world.ports.rateLimits.ask = () => Promise.reject(new Refusal('RATE_LIMITED'));

  await expect(beat(world)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

test.each([
  ['the partner does not say whose the address is', { verdict: 'unavailable', cafeId: null }, true],
  ['nobody of ours answers in time', undefined, false],
])('a start fails because %s: it is told whose fault it is', async (_, verdict, isPartners) => {
  const world = newWorld();
  world.verdict = verdict;

  const failure = await start(world).catch((error: unknown) => error);

  expect(failure).toMatchObject({ code: 'UNAVAILABLE' });
  expect(failure instanceof Error && failure.cause instanceof PartnerSilent).toBe(isPartners);
});
