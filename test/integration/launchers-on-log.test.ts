import { randomUUID } from 'node:crypto';
import { specLimits } from '#libs/kernel/limits.ts';
import { sessionsFromLog } from '../../services/game-session/adapters/sessions-from-log.ts';
import type { LauncherChange } from '../../services/game-session/core/launcher-change.ts';
import { openPlayground } from './kafka-harness.ts';

test('of what happened to the launcher of a PC the latest by its instant counts, in whatever order it was published (D-36)', async () => {
  const playground = await openPlayground([
    'launcher-sessions.v1',
    'game-sessions.v1',
    'game-session-changes.v1',
    'heartbeats.v1',
  ]);
  const publisher = await playground.publisher();
  const pcId = `pc_${randomUUID().replaceAll('-', '')}`;
  const of = { launcherSessionId: randomUUID(), cafeId: 'cafe-1', pcId };
  await publisher.publish('launcher-session.started', { ...of, atMs: 2_000 });
  await publisher.publish('launcher-session.lapsed', { ...of, atMs: 1_000 });
  const found: (readonly [string, LauncherChange['change']])[] = [];

  await sessionsFromLog(playground.kafka, specLimits).open(new AbortController().signal, async (log) => {
    for (const part of log.launcherParts)
      await log.launchers(
        part,
        async (changes) => void found.push(...changes.map(([pc, { change }]) => [pc, change] as const)),
      );
  });

  expect(found).toEqual([[pcId, 'started']]);
  await playground.close();
});
