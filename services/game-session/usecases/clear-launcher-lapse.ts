import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** A new launcher session begins on the PC: an earlier lapse or end no longer counts, even if it is published late (D-36). */
export const clearLauncherLapse =
  ({ sessions }: Ports) =>
  async ({ pcId, launcherSessionId, atMs }: EventData<'launcher-session.started'>): Promise<void> =>
    sessions.noteLauncher(pcId, { change: 'started', launcherSessionId, atMs });
