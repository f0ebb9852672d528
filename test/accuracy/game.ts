import { sleep } from '#libs/runtime/wait.ts';
import type { Answer, Token } from './calls.ts';
import { limits } from './limits.ts';
import type { Chance } from './random.ts';
import { leftMs, patiently } from './players-world.ts';
import type { PlayersWorld } from './players-world.ts';

const retryMs = 1_000;
const endPatienceMs = 90_000;

/** A game that is being played: its session, and how long its game server has measured. */
export interface Game {
  readonly pc: string;
  readonly token: Token;
  readonly session: string;
  readonly sinceMs: number;
}

interface Beaten {
  readonly nextHeartbeatIn: number;
}

const isOver = ({ outcome, unsure }: Answer<unknown>): boolean =>
  !unsure && outcome !== 'OK' && outcome !== 'CHARGE_EXHAUSTED';

/** A heartbeat; now and then its game server sends it twice at once. */
const beatOnce = async ({ calls }: PlayersWorld, game: Game, chance: Chance): Promise<Answer<Beaten>> => {
  const beat = () => calls.beat(game.pc, game.token, game.session);
  if (!chance.chance(0.03)) return beat();
  const [first] = await Promise.all([beat(), beat()]);
  return first;
};

/** Sends heartbeats as the answers ask for them, until the time is up or the session is over; true: it still plays. A game server goes on after 5xx and silence. */
export const keepPlaying = async (
  world: PlayersWorld,
  game: Game,
  untilMs: number,
  chance: Chance,
): Promise<boolean> => {
  let nextMs = world.history.now();
  for (;;) {
    const now = world.history.now();
    if (nextMs >= untilMs) {
      await sleep(untilMs - now);
      return true;
    }
    await sleep(nextMs - now);
    const sentMs = world.history.now();
    const answer = await beatOnce(world, game, chance);
    if (isOver(answer)) return false;
    nextMs = answer.unsure
      ? world.history.now() + retryMs
      : sentMs + (answer.data?.nextHeartbeatIn ?? limits.heartbeatIntervalSec) * 1000;
  }
};

/** The player leaves: asked again until somebody says what became of it. Now and then repeated, and knocked at once more later. */
export const leave = async (world: PlayersWorld, game: Game, chance: Chance): Promise<void> => {
  const { calls, history } = world;
  const clientSec = Math.floor((history.now() - game.sinceMs) / 1000);
  const end = () => calls.end(game.pc, game.token, game.session, clientSec);
  const ends = chance.chance(0.1)
    ? Promise.all([end(), end()]).then(([one, other]) => (one.unsure ? other : one))
    : end();
  const first = await ends;
  if (first.unsure)
    await patiently({ ask: end, again: ({ unsure }) => unsure, pauseMs: retryMs, forMs: endPatienceMs });
  if (!chance.chance(0.3)) return;
  const later = async () => {
    await sleep(chance.between(500, 20_000));
    await calls.beat(game.pc, game.token, game.session);
    await calls.end(game.pc, game.token, game.session, clientSec);
  };
  if (leftMs(world) > 0) world.beside(later());
};
