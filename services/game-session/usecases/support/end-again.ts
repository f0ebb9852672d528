import { plays } from '../../core/session.ts';
import type { Session } from '../../core/session.ts';
import type { Ports } from '../../ports.ts';

/** Billing may have started although play is over, because a heartbeat or a retry of the start came late: its end is said again (D-60). */
export const endAgain = async ({ publish }: Pick<Ports, 'publish'>, session: Session): Promise<void> => {
  if (!plays(session)) await publish('game-session.ending', { session, again: true });
};
