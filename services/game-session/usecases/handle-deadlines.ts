import type { Handled } from '#libs/records/sweeper.ts';
import type { Ports } from '../ports.ts';

/**
 * Of sessions whose deadline has passed: who fell silent ends, an end is published again, and who ended is forgotten, in a round trip for each
 * shard and one wait for the log. Left are the others, which `handleDeadline` decides on, and those that could not be asked. What the log did
 * not take, the deadline of the state `ending` publishes again (D-06).
 */
export const handleDeadlines =
  ({ sessions, publishSessions }: Ports) =>
  async (gameSessionIds: readonly string[]): Promise<Handled> => {
    const asked = await Promise.allSettled(gameSessionIds.map(sessions.over.due));
    const found = asked.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
    const ending = found.filter((each) => typeof each === 'object');
    const left = gameSessionIds.filter((_, index) => found[index] === undefined);
    return { left, published: publishSessions('game-session.ending', ending) };
  };
