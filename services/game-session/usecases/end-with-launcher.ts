import type { EventData } from '#libs/contracts/events.ts';
import { close } from '../core/session.ts';
import type { Ports } from '../ports.ts';
import { changeSession } from './support/change-session.ts';

/** A new launcher session takes the mark of a lapse away. */
export const launcherStarted =
  ({ sessions }: Ports) =>
  async ({ pcId }: EventData<'launcher-session.started'>): Promise<void> =>
    sessions.markLapse(pcId, undefined);

/** The launcher fell silent: the next game heartbeat finds the mark and ends the session (spec 3.2). */
export const launcherLapsed =
  ({ sessions }: Ports) =>
  async ({ pcId, atMs }: EventData<'launcher-session.lapsed'>): Promise<void> =>
    sessions.markLapse(pcId, atMs);

/** The launcher closed: the PC's game session ends with it (contract of the launcher API), at that moment. Heard late, it does not end what began after it. */
export const launcherEnded =
  (ports: Ports) =>
  async ({ pcId, atMs }: EventData<'launcher-session.ended'>): Promise<void> => {
    const holder = await ports.sessions.holderOf(pcId);
    if (holder === undefined) return;
    const { after } = await changeSession(ports, holder, (session, { nowMs }) => {
      const isLater = session.startedAtMs > atMs;
      return isLater ? undefined : close(session, { reason: 'launcher_ended', nowMs, atMs }, ports.limits);
    });
    if (after) await ports.publish('game-session.ending', { session: after });
  };
