import { unavailable } from '#libs/contracts/errors.ts';
import type { Session } from '../../core/session.ts';
import type { Look, Ports } from '../../ports.ts';

const mostTries = 10;
const over = ({ state }: Session) => state === 'ending' || state === 'ended';

/** What was seen, and what it became; `after` is undefined where the decision was to change nothing. */
export interface Changed {
  readonly look: Look;
  readonly after: Session | undefined;
}

/** Reads, decides and writes until nobody was faster. A session that stops playing leaves its seat in the same step. */
export const changeSession = async (
  { sessions }: Pick<Ports, 'sessions'>,
  gameSessionId: string,
  decide: (session: Session, look: Look) => Session | undefined,
): Promise<Changed> => {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const look = await sessions.look(gameSessionId);
    const { session: before, holder } = look;
    const after = before && decide(before, look);
    if (after === undefined) return { look, after };
    const leaves = over(after) && holder === gameSessionId;
    const seat = { before: holder, after: undefined };
    if (await sessions.commit([{ before, after, ...(leaves && { seat }) }])) return { look, after };
  }
  throw unavailable();
};
