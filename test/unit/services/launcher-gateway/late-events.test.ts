import { handleDeadline } from '../../../../services/launcher-gateway/usecases/handle-deadline.ts';
import { callerOf, end, eventsOf, newWorld, silenceMs, start } from './launcher-world.ts';
import type { LauncherWorld } from './launcher-world.ts';

describe('the log does not take the event of an end or a lapse (D-36)', () => {
  const sweepAt = async (world: LauncherWorld, id: string, afterMs: number) => {
    world.nowMs += afterMs;
    await handleDeadline(world.ports)(id);
  };

  test('an end stands: it is published as soon as the log is back, with its own instant, and once', async () => {
    const world = newWorld();
    await start(world);
    const { id } = callerOf(world).session;
    world.logIsAway = true;
    const endedAtMs = world.nowMs;

    await expect(end(world)).resolves.toEqual({ result: 'SUCCESS' });
    await expect(sweepAt(world, id, 10_000)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    world.logIsAway = false;
    await sweepAt(world, id, 10_000);
    await sweepAt(world, id, 10_000);

    expect(eventsOf(world)).toEqual(['launcher-session.started', 'launcher-session.ended']);
    expect(world.published.at(-1)).toMatchObject(['launcher-session.ended', { atMs: endedAtMs }]);
  });

  test('an end that is published later says whether the PC has a live launcher again', async () => {
    const world = newWorld();
    const ended: string[] = [];
    for (const pc of ['pc-1', 'pc-2']) {
      await start(world, pc);
      const caller = callerOf(world);
      world.logIsAway = true;
      await end(world, caller);
      world.logIsAway = false;
      ended.push(caller.session.id);
    }
    await start(world, 'pc-1');
    for (const id of ended) await sweepAt(world, id, 10_000);

    const ends = world.published.filter(([name]) => name === 'launcher-session.ended');
    expect(ends).toMatchObject([
      ['launcher-session.ended', { pcId: 'cafe-1/pc-1', superseded: true }],
      ['launcher-session.ended', { pcId: 'cafe-1/pc-2', superseded: false }],
    ]);
  });

  test('a lapse is published later, unless the PC has a live launcher again', async () => {
    const world = newWorld();
    await start(world, 'pc-1');
    const first = callerOf(world).session.id;
    await start(world, 'pc-2');
    const second = callerOf(world).session.id;
    world.nowMs += silenceMs;
    world.logIsAway = true;
    for (const id of [first, second])
      await expect(handleDeadline(world.ports)(id)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const lapsedAtMs = world.nowMs;
    world.logIsAway = false;
    await start(world, 'pc-1');

    world.nowMs += 10_000;
    for (const id of [first, second]) await handleDeadline(world.ports)(id);

    const lapses = world.published.filter(([name]) => name === 'launcher-session.lapsed');
    expect(lapses).toMatchObject([['launcher-session.lapsed', { pcId: 'cafe-1/pc-2', atMs: lapsedAtMs }]]);
  });
});
