import type { PublishOptions } from '#libs/contracts/delivery.ts';
import { published } from '../../core/launcher-session.ts';
import type { LauncherSession } from '../../core/launcher-session.ts';
import type { Ports } from '../../ports.ts';

/** A lapse is moot when the PC has a live launcher again. An end is not: the game session of that time ends with it. */
const isMoot = async ({ sessions }: Pick<Ports, 'sessions'>, { state, pcId }: LauncherSession) =>
  state === 'lapsed' && (await sessions.holderOf(pcId)) !== undefined;

/**
 * Publishes that a launcher session ended or lapsed, and notes that the log has it; nothing where that is noted already. When either
 * fails it rejects, and the session's deadline publishes again (D-36).
 */
export const publishOver = async (
  ports: Pick<Ports, 'sessions' | 'limits' | 'publish'>,
  session: LauncherSession,
  options: PublishOptions = {},
): Promise<void> => {
  const { id, state, launcherSessionId, cafeId, pcId, pendingSinceMs: atMs } = session;
  if (atMs === null) return;
  const name = state === 'lapsed' ? 'launcher-session.lapsed' : 'launcher-session.ended';
  if (!(await isMoot(ports, session)))
    await ports.publish(name, { launcherSessionId, cafeId, pcId, atMs }, options);
  await ports.sessions.update(id, ({ record, nowMs }) => record && published(record, nowMs, ports.limits));
};
