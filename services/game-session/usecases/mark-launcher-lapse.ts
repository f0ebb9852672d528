import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** The launcher fell silent: the next heartbeat of the PC's game session finds the mark and ends it (spec 3.2). */
export const markLauncherLapse =
  ({ sessions }: Ports) =>
  async ({ pcId, launcherSessionId, atMs }: EventData<'launcher-session.lapsed'>): Promise<void> =>
    sessions.noteLauncher(pcId, { change: 'lapsed', launcherSessionId, atMs });
