import type { PublishOptions } from '#libs/contracts/delivery.ts';
import { published } from '../../core/launcher-session.ts';
import type { LauncherSession } from '../../core/launcher-session.ts';
import type { Ports } from '../../ports.ts';

/**
 * Publishes that a launcher session ended or lapsed, and notes that the log has it; nothing where that is noted already. When the PC has a
 * live launcher again, a lapse is moot, and an end concerns only what was played by then. When either step fails it rejects, and the
 * session's deadline publishes again (D-36).
 */
export const publishOver = async (
  ports: Pick<Ports, 'sessions' | 'limits' | 'publish'>,
  session: LauncherSession,
  options: PublishOptions = {},
): Promise<void> => {
  const { id, state, launcherSessionId, cafeId, pcId, pendingSinceMs: atMs } = session;
  if (atMs === null) return;
  const superseded = (await ports.sessions.holderOf(pcId)) !== undefined;
  const data = { launcherSessionId, cafeId, pcId, atMs };
  if (state === 'ended') await ports.publish('launcher-session.ended', { ...data, superseded }, options);
  else if (!superseded) await ports.publish('launcher-session.lapsed', data, options);
  await ports.sessions.update(id, ({ record, nowMs }) => record && published(record, nowMs, ports.limits));
};
