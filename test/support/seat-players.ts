import type { StackFacts } from '#simulators/stack-file.ts';
import { patiently } from './eventually.ts';
import { gameServerOf, newPlayer } from './suite-stack.ts';

const seatsAtOnce = 20;
const beatEveryMs = 1_000;

/** A player who sits and plays. */
export type Player = Awaited<ReturnType<typeof newPlayer>>;

/** One heartbeat of a player. */
export const beat = ({ server, id, user }: Player) => server.heartbeat(id, user);

/** One heartbeat of each of these players of the first game, in one batch. */
export const beatTogether = (stack: StackFacts, players: readonly Player[]) =>
  gameServerOf(stack).heartbeats(
    players.map(({ id, user }) => ({ gameSessionId: id, providerUserId: user })),
  );

/**
 * Who is not to expire while a test waits for something else: each question that is asked through it lets the players be heard first, once a
 * second at most (a session's own heartbeats are limited, D-42).
 */
export const playingOn = (players: readonly Player[]) => {
  let heardMs = -Infinity;
  return async <T>(ask: () => Promise<T>): Promise<T> => {
    if (performance.now() - heardMs >= beatEveryMs) {
      heardMs = performance.now();
      await Promise.all(players.map(beat));
    }
    return ask();
  };
};

/** 503 means: try again. So does a launcher, with a new token, until the player sits. */
const seatPlayer = (stack: StackFacts, cafe: number): Promise<Player> =>
  patiently(() => newPlayer(stack, { cafe }));

/** Seats players at so many cafes in turn, twenty at a time; those who sit already play on meanwhile. */
export const seatPlayers = async (stack: StackFacts, count: number, cafes = 3): Promise<Player[]> => {
  const players: Player[] = [];
  while (players.length < count) {
    const next = Array.from(
      { length: Math.min(seatsAtOnce, count - players.length) },
      (_, seat) => seat % cafes,
    );
    players.push(...(await Promise.all(next.map((cafe) => seatPlayer(stack, cafe)))));
    await Promise.all(players.map(beat));
  }
  return players;
};
