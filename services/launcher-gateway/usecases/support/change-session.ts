import { unavailable } from '#libs/contracts/errors.ts';
import type { Instant, LauncherSession } from '../../core/launcher-session.ts';
import type { Ports } from '../../ports.ts';

const mostTries = 10;

/** Reads, decides and writes until nobody was faster; undefined when the decision was to change nothing. Who is no longer live leaves the seat. */
export const changeSession = async (
  { sessions }: Ports,
  id: string,
  decide: (session: LauncherSession, at: Instant) => LauncherSession | undefined,
): Promise<LauncherSession | undefined> => {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const look = await sessions.look(id);
    const { session: before, holder } = look;
    const after = before && decide(before, look);
    if (after === undefined) return undefined;
    const leaves = after.state !== 'live' && holder === id;
    const seat = { before: holder, after: undefined };
    if (await sessions.commit([{ before, after, ...(leaves && { seat }) }])) return after;
  }
  throw unavailable();
};
