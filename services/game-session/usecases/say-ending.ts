import { Refusal } from '#libs/contracts/errors.ts';
import type { Session } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** Publishes that play is over. When the log is away the session's deadline says it again later: the caller's end stands (architecture, part 2). */
export const sayEnding = async ({ publish }: Pick<Ports, 'publish'>, session: Session): Promise<void> => {
  try {
    await publish('game-session.ending', { session });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
};
