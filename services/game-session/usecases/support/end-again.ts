import { plays } from '../../core/session.ts';
import type { Session } from '../../core/session.ts';
import type { Ports } from '../../ports.ts';

/**
 * Billing may have started although play is over, because a heartbeat, a start or its retry came late: its end is said again (D-60). Of a session
 * whose refusal came before its start (D-34) nothing else tells of it.
 */
export const endAgain = async ({ publish }: Pick<Ports, 'publish'>, session: Session): Promise<void> => {
  if (!plays(session)) await publish('game-session.ending', { session, again: true });
};
