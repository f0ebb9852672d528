import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** A new launcher session begins on the PC: an earlier lapse no longer counts. */
export const clearLauncherLapse =
  ({ sessions }: Ports) =>
  async ({ pcId }: EventData<'launcher-session.started'>): Promise<void> =>
    sessions.markLauncherLapse(pcId, undefined);
