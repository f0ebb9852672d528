import type { ReceivedEvent } from '#libs/contracts/delivery.ts';
import type { Partner, Ports } from '../../../../services/billing-adapter/ports.ts';
import { renewBillings } from '../../../../services/billing-adapter/usecases/renew-billing.ts';
import { delivery } from '../../../support/delivery.ts';

type Outcome = Awaited<ReturnType<Partner['renew']>>;

interface Beat {
  readonly gameSessionId?: string;
  readonly version: number;
  readonly playDurationSec: number;
  readonly isWaitedFor?: boolean;
}

/** Heartbeats of one bundle, each with a caller that is named after its seconds. */
const bundleOf = (...beats: Beat[]) =>
  beats.map((beat) => ({
    name: 'game-session.heartbeat',
    data: { session: { gameSessionId: 'gs_1', state: 'active', lastSeenAtMs: 60_000, ...beat } },
    meta: delivery({
      requestId: `caller at ${beat.playDurationSec}`,
      ...(beat.isWaitedFor !== false && { replyTo: 'here#1' }),
    }),
  })) as ReceivedEvent<'game-session.heartbeat'>[];

/** billing-adapter with a partner that has one answer to renewals, and the callers that hear an event. */
const adapter = (outcome: Outcome) => {
  const world = {
    renewed: [] as [string, number][],
    starts: 0,
    skipped: 0,
    unsaid: 0,
    heard: [] as unknown[],
  };
  const hear = (name: string, request: { requestId: string } | undefined) =>
    request && world.heard.push([name, request.requestId]);
  const ports = {
    clock: () => 60_000,
    stops: { confirmedSec: () => undefined },
    renewalSkipped: () => (world.skipped += 1),
    renewedUnsaid: (count: number) => (world.unsaid += count),
    publish: async (name: string, _: unknown, options?: { request: { requestId: string } }) =>
      hear(name, options?.request),
    publishAll: async (name: string, events: readonly { request: { requestId: string } }[]) =>
      events.forEach(({ request }) => hear(name, request)),
    partner: {
      renew: async (id: string, seconds: number) => (world.renewed.push([id, seconds]), outcome),
      start: async () => ((world.starts += 1), { outcome: 'started', remainingSec: 1 }),
    },
  } as unknown as Ports;
  return { world, handle: renewBillings(ports).together };
};

const renewed: Outcome = { outcome: 'renewed', remainingSec: 1 };

describe('heartbeats of one session that come together are one renewal', () => {
  test.each([
    ['newest state', [1, 60], [2, 90], 90],
    ['newest state, wherever it stands', [2, 90], [1, 60], 90],
    ['later of two that are equally new', [1, 60], [1, 90], 90],
  ] as const)('of the %s', async (_, first, second, seconds) => {
    const { world, handle } = adapter(renewed);
    const [one, other] = [first, second].map(([version, playDurationSec]) => ({ version, playDurationSec }));

    await handle(bundleOf(one!, { gameSessionId: 'gs_2', version: 1, playDurationSec: 5 }, other!));

    expect(world.renewed).toEqual([
      ['gs_1', seconds],
      ['gs_2', 5],
    ]);
  });

  const both = bundleOf({ version: 1, playDurationSec: 60 }, { version: 2, playDurationSec: 90 });

  test.each([
    [renewed, 'billing.renewed'],
    [{ outcome: 'exhausted' }, 'billing.exhausted'],
  ] as const)('whose outcome %j each caller hears', async (outcome, name) => {
    const { world, handle } = adapter(outcome);

    await handle(both);

    expect(world.heard).toEqual([
      [name, 'caller at 60'],
      [name, 'caller at 90'],
    ]);
  });

  test('and one start where the partner does not know the billing, which each caller hears', async () => {
    const { world, handle } = adapter({ outcome: 'none' });

    await handle(both);

    expect(world.starts).toBe(1);
    expect(world.heard).toEqual([
      ['billing.renewed', 'caller at 60'],
      ['billing.renewed', 'caller at 90'],
    ]);
  });

  test('which is skipped once where its outcome is unknown (D-12)', async () => {
    const { world, handle } = adapter({ outcome: 'unknown', reason: 'away', isOutage: true });

    await handle(both);

    expect(world).toMatchObject({ skipped: 1, heard: [] });
  });
});

describe('of what nobody waits for (D-62)', () => {
  const unheard = bundleOf({ version: 1, playDurationSec: 60, isWaitedFor: false });

  test('nothing is published where billing goes on, which is counted', async () => {
    const { world, handle } = adapter(renewed);

    await handle(unheard);

    expect(world).toMatchObject({ renewed: [['gs_1', 60]], heard: [], unsaid: 1 });
  });

  test('and who waits beside it, for the same session, hears it once', async () => {
    const { world, handle } = adapter(renewed);

    await handle([...unheard, ...bundleOf({ version: 2, playDurationSec: 90 })]);

    expect(world).toMatchObject({
      ...{ renewed: [['gs_1', 90]], unsaid: 1 },
      heard: [['billing.renewed', 'caller at 90']],
    });
  });

  test.each([
    ['the balance is used up', { outcome: 'exhausted' }, 'billing.exhausted'],
    ['billing was started by it', { outcome: 'none' }, 'billing.renewed'],
  ] as const)('it is published that %s', async (_, outcome, name) => {
    const { world, handle } = adapter(outcome);

    await handle(unheard);

    expect(world.heard).toEqual([[name, 'caller at 60']]);
  });
});
