import type { EventData } from '#libs/contracts/events.ts';
import { closeWithLauncher } from '../core/deadlines.ts';
import type { Ports } from '../ports.ts';

/** The launcher closed: the game session of its PC ends with it, at that moment (D-07, D-09); one that begins later with a token of this launcher session, at its first heartbeat, unless the launcher has come back (D-36). */
export const endWithLauncher =
  ({ sessions, limits, publish }: Ports) =>
  async ({
    pcId,
    launcherSessionId,
    atMs,
    superseded,
  }: EventData<'launcher-session.ended'>): Promise<void> => {
    if (!superseded) await sessions.noteLauncher(pcId, { change: 'ended', launcherSessionId, atMs });
    const holder = await sessions.holderOf(pcId);
    if (holder === undefined) return;
    const { after } = await sessions.update(
      holder,
      ({ record, ...now }) => record && closeWithLauncher(record, atMs, now, limits),
    );
    if (after) await publish('game-session.ending', { session: after });
  };
