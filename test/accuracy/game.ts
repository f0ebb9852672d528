import { sleep } from '#libs/runtime/wait.ts';
import type { Answer } from './answer.ts';
import type { Token } from './calls.ts';
import type { InBatch } from './game-batches.ts';
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
  /** Its game server says what it has to say in batches, with that of its other players (D-41). */
  readonly inBatches: boolean;
}

interface Beaten {
  readonly nextHeartbeatIn: number;
}

const isOver = ({ outcome, unsure }: Answer<unknown>): boolean =>
  !unsure && outcome !== 'OK' && outcome !== 'CHARGE_EXHAUSTED';

/** What is said in a batch, and a single call that begins when the batch is sent, so that they race. */
const together = <D>({ sent, answer }: InBatch<D>, single: () => Promise<Answer<unknown>>) =>
  Promise.all([answer, sent.then(single)]);

/** A heartbeat; now and then its game server sends it twice at once, one of them in a batch where it has batches. */
const beatOnce = async ({ calls }: PlayersWorld, game: Game, chance: Chance): Promise<Answer<Beaten>> => {
  const { pc, token, session, inBatches } = game;
  const beat = () => calls.beat(pc, token, session);
  const twice = chance.chance(0.05);
  if (inBatches) {
    const batched = calls.batched.beat(pc, token, session);
    return twice ? (await together(batched, beat))[0] : batched.answer;
  }
  const [first] = await Promise.all(twice ? [beat(), beat()] : [beat()]);
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

/** What an end meets at once: another end of its session, or a heartbeat. */
type Rival = 'nothing' | 'an end' | 'a heartbeat';
const rivalsOf = {
  batches: ['nothing', 'nothing', 'nothing', 'an end', 'a heartbeat'],
  singles: [...(['nothing', 'nothing', 'nothing'] as const), 'nothing', 'nothing', 'an end', 'a heartbeat'],
} as const satisfies Record<string, readonly [Rival, ...Rival[]]>;

/** Ends a session, alone or in a batch, beside its rival; resolves to what the ends were answered. */
const ends = async (
  { calls }: PlayersWorld,
  { pc, token, session, inBatches }: Game,
  clientSec: number,
  rival: Rival,
): Promise<readonly Answer<unknown>[]> => {
  const end = () => calls.end(pc, token, session, clientSec);
  const beat = () => calls.beat(pc, token, session);
  if (inBatches) {
    const batched = calls.batched.end(pc, token, session, clientSec);
    if (rival === 'nothing') return [await batched.answer];
    return rival === 'an end' ? together(batched, end) : [(await together(batched, beat))[0]];
  }
  if (rival === 'a heartbeat') return [(await together(calls.batched.beat(pc, token, session), end))[1]];
  return Promise.all(rival === 'an end' ? [end(), end()] : [end()]);
};

/** The player leaves: asked again until somebody says what became of it. Now and then repeated, and knocked at once more later. */
export const leave = async (world: PlayersWorld, game: Game, chance: Chance): Promise<void> => {
  const { history } = world;
  const clientSec = Math.floor((history.now() - game.sinceMs) / 1000);
  const rivals = game.inBatches ? rivalsOf.batches : rivalsOf.singles;
  const first = await ends(world, game, clientSec, chance.pick(rivals));
  const areUnsure = (answers: readonly Answer<unknown>[]) => answers.every(({ unsure }) => unsure);
  const ask = () => ends(world, game, clientSec, 'nothing');
  if (areUnsure(first)) await patiently({ ask, again: areUnsure, pauseMs: retryMs, forMs: endPatienceMs });
  if (!chance.chance(0.3)) return;
  const later = async () => {
    await sleep(chance.between(500, 20_000));
    await beatOnce(world, game, chance);
    await ends(world, game, clientSec, 'nothing');
  };
  if (leftMs(world) > 0) world.beside(later());
};
