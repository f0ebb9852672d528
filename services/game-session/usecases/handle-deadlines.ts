import type { Ports } from '../ports.ts';

/**
 * Of sessions whose deadline has passed: who fell silent ends, an end is published again, and who ended is forgotten, in a round trip for each
 * shard and one wait for the log. Resolves to the others, which `handleDeadline` decides on, and to those that could not be asked. When it
 * rejects, the deadline of the state `ending` publishes again (D-06).
 */
export const handleDeadlines =
  ({ sessions, publishSessions }: Ports) =>
  async (gameSessionIds: readonly string[]): Promise<string[]> => {
    const asked = await Promise.allSettled(gameSessionIds.map(sessions.over.due));
    const found = asked.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
    const ending = found.filter((each) => typeof each === 'object');
    if (ending.length > 0) await publishSessions('game-session.ending', ending);
    return gameSessionIds.filter((_, index) => found[index] === undefined);
  };
