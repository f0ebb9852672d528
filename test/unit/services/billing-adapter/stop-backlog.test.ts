import type { EventData } from '#libs/contracts/events.ts';
import { abandonBilling } from '../../../../services/billing-adapter/usecases/abandon-billing.ts';
import { retryBilling } from '../../../../services/billing-adapter/usecases/retry-billing.ts';
import { adapter } from './stops-harness.ts';

const tenMinutesMs = 600_000;

describe('of stops that wait on the log for longer than reminders are apart (D-06, D-60)', () => {
  test('a reminder that another one certainly follows calls nobody', async () => {
    const { world, end } = adapter('stopped');
    world.nowMs = tenMinutesMs + 1;

    await end({ reminders: 5 });

    expect([world.stops, world.published]).toEqual([0, []]);
  });

  test('a reminder whose confirmation could not be written says it though it is as late by then', async () => {
    const { world, end, eventsOf } = adapter('stopped');
    world.nowMs = tenMinutesMs;
    world.logIsAway = true;
    await expect(end({ reminders: 5 })).rejects.toThrow('the log is away');

    world.logIsAway = false;
    world.nowMs = tenMinutesMs + 1;
    await end({ reminders: 5 });

    expect([world.stops, eventsOf()]).toEqual([1, ['billing.stopped']]);
  });

  test.each([
    ['a reminder that may be the last so far', { reminders: 5, atMs: 1 }],
    ['the end itself', {}],
    ['the end of billing that has started again', { reminders: 5, again: true }],
  ])('%s is made however late it is', async (_, how) => {
    const { world, end, eventsOf } = adapter('stopped');
    world.nowMs = tenMinutesMs + 1;

    await end(how);

    expect([world.stops, eventsOf()]).toEqual([1, ['billing.stopped']]);
  });
});

describe('of stops that wait for the partner to come back (D-27)', () => {
  test('the first reminder begins retries, where the end itself was never on the log', async () => {
    const { end, eventsOf } = adapter('unknown');

    await end({ reminders: 1 });

    expect(eventsOf()).toEqual(['billing-retry.scheduled']);
  });

  test('a later reminder that fails begins none: the next one tries again', async () => {
    const { world, end, eventsOf } = adapter('unknown', 'unknown', 'stopped');

    for (const reminders of [5, 6, 7]) await end({ reminders });

    expect([world.stops, eventsOf()]).toEqual([3, ['billing.stopped']]);
  });

  test('one that a reminder had confirmed takes no turn of the retries, and is not said again', async () => {
    const { world, ports, end, retryOf, eventsOf } = adapter('unknown', 'stopped');
    await end();
    world.nowMs = 900_001;
    await end({ reminders: 7, atMs: 900_000 });

    await retryBilling(ports)(retryOf() as EventData<'billing-retry.scheduled'>);

    expect([world.stops, world.retryTurns]).toEqual([2, 0]);
    expect(eventsOf()).toEqual(['billing-retry.scheduled', 'billing.stopped']);
  });

  test('one whose confirmation could not be written is said by its retry', async () => {
    const { world, ports, end, retryOf, eventsOf } = adapter('unknown', 'stopped');
    await end();
    world.nowMs = 900_001;
    world.logIsAway = true;
    await expect(end({ reminders: 7, atMs: 900_000 })).rejects.toThrow('the log is away');

    world.logIsAway = false;
    await retryBilling(ports)(retryOf() as EventData<'billing-retry.scheduled'>);

    expect(eventsOf()).toEqual(['billing-retry.scheduled', 'billing.stopped']);
  });

  test('one of a claim that was given back is made though there was nothing before: nothing reminds of it (D-03)', async () => {
    const { world, ports, retryOf } = adapter('unknown', 'stopped');
    world.nowMs = 1_000;
    ports.stops.told('gs_1');
    await abandonBilling(ports)({ gameSessionId: 'gs_1', startedAtMs: 0 } as EventData<'ott.given-back'>);

    await retryBilling(ports)(retryOf() as EventData<'billing-retry.scheduled'>);

    expect(world.stops).toBe(2);
  });

  test('one that was made again takes its turn although another one was confirmed (D-60)', async () => {
    const { world, ports, end, retryOf } = adapter('unknown', 'stopped', 'stopped');
    await end({ again: true });
    await end();

    await retryBilling(ports)(retryOf() as EventData<'billing-retry.scheduled'>);

    expect([world.stops, world.retryTurns]).toEqual([3, 1]);
  });
});

describe('the turn of a stop, of which a process has so many (D-60)', () => {
  test.each([
    ['that are in time, when the log has the confirmation', 149_999, []],
    ['that have waited for half of five minutes, when the partner has confirmed', 150_000, [0]],
  ])('ends, of those %s', async (_, nowMs, publishedBefore) => {
    const { world, end, eventsOf } = adapter('stopped');
    const published: number[] = [];
    world.nowMs = nowMs;

    await end({ endTurn: () => void published.push(world.published.length) });

    expect([published, eventsOf()]).toEqual([publishedBefore, ['billing.stopped']]);
  });

  test('lasts until a retry is on the log where the partner has not', async () => {
    const { world, end, eventsOf } = adapter('unknown');
    let ended = 0;
    world.nowMs = 150_000;

    await end({ endTurn: () => void (ended += 1) });

    expect([ended, eventsOf()]).toEqual([0, ['billing-retry.scheduled']]);
  });

  test('that has ended does not lose a confirmation that could not be written: the redelivery says it', async () => {
    const { world, end, eventsOf } = adapter('stopped');
    world.nowMs = 150_000;
    world.logIsAway = true;
    await expect(end({ endTurn: () => undefined })).rejects.toThrow('the log is away');

    world.logIsAway = false;
    await end();

    expect([world.stops, eventsOf()]).toEqual([1, ['billing.stopped']]);
  });
});
