import { sleep } from '#libs/runtime/wait.ts';
import type { RecordedLauncher, Token } from './calls.ts';
import { keepPlaying, leave } from './game.ts';
import type { Game } from './game.ts';
import { limits } from './limits.ts';
import { seeded } from './random.ts';
import type { Chance } from './random.ts';
import { leftMs, patiently } from './players-world.ts';
import type { PlayersWorld } from './players-world.ts';

const holdEveryMs = 25_000;
const verifyPatienceMs = (limits.ottTtlSec - 4) * 1000;
const goneMs = (limits.sessionExpirySec + limits.sessionExpirySlackSec + 6) * 1000;

/** Of the game servers so many have batches (D-41). */
const batchingPart = 0.4;

/** A PC of a cafe and the one who sits there. */
interface Pc {
  readonly world: PlayersWorld;
  readonly name: string;
  readonly launcher: RecordedLauncher;
  readonly chance: Chance;
  /** When the last game on it began, and when its launcher was closed, in ms since the run began. */
  readonly seat: { begunAtMs: number; closedAtMs: number };
}

/** How a visit ends. `change`: another game is started on the same PC while this one still runs. */
type Exit = 'leave' | 'vanish' | 'change' | 'close';

const exits = [
  ...(['leave', 'leave', 'leave', 'leave', 'leave', 'leave'] as const),
  ...(['vanish', 'change', 'change', 'close'] as const),
] as const;

const sitDown = ({ launcher, world }: Pc) =>
  patiently({
    ask: launcher.sit,
    again: ({ outcome }) => outcome !== 'SUCCESS' && leftMs(world) > 0,
    forMs: leftMs(world),
  });

/** A token; a launcher whose session is no longer known sits down once more. */
const tokenFor = async (pc: Pc, game: number): Promise<Token | undefined> => {
  const { answer, token } = await pc.launcher.ott(game);
  if (answer.outcome === 'INVALID_SESSION_TOKEN') await sitDown(pc);
  return token;
};

/** Presents the token until the answer is known, always under the same key; some present it twice at once. */
const present = async ({ world, name, chance }: Pc, token: Token): Promise<string | undefined> => {
  const { calls } = world;
  const key = `${name}-${token.number}`;
  const twice = chance.chance(0.08);
  const rival = twice ? calls.verify(name, token) : undefined;
  const answer = await patiently({
    ask: () => calls.verify(name, token, key),
    again: ({ unsure, outcome }) => unsure || outcome === 'REQUEST_IN_FLIGHT',
    pauseMs: 700,
    forMs: verifyPatienceMs,
  });
  const other = await rival;
  return answer.data?.isValid
    ? answer.data.gameSessionId
    : other?.data?.isValid
      ? other.data.gameSessionId
      : undefined;
};

/** A token that was spent is tried once more, after the game has begun. */
const tryAgain = ({ world, name, chance }: Pc, token: Token): void => {
  if (!chance.chance(0.1)) return;
  const again = async () => {
    await sleep(chance.between(200, 15_000));
    await world.calls.verify(name, token);
  };
  world.beside(again());
};

/** What the game server's own clock has measured. */
const measured = ({ history }: PlayersWorld, { session, sinceMs }: Game, at: number): void =>
  history.add({ kind: 'played', at, session, sec: (at - sinceMs) / 1000 });

/** The game server of a player who no longer sits there learns it from a heartbeat, and ends nothing. The game was played until the next began, or the launcher was closed. */
const untilOver = async ({ world, chance, seat }: Pc, game: Game, leaves: boolean): Promise<void> => {
  const plays = await keepPlaying(world, game, world.overAtMs, chance);
  const ends = [seat.begunAtMs, seat.closedAtMs].filter((atMs) => atMs > game.sinceMs);
  measured(world, game, Math.min(world.history.now(), ...ends));
  if (plays || leaves) await leave(world, game, chance);
};

const part = async (pc: Pc, game: Game, exit: Exit): Promise<void> => {
  const { world, launcher, chance, seat } = pc;
  if (exit === 'change') {
    world.beside(untilOver(pc, game, false));
    return;
  }
  if (exit !== 'close') measured(world, game, world.history.now());
  if (exit === 'leave') return leave(world, game, chance);
  if (exit === 'vanish') return sleep(chance.chance(0.5) ? Math.min(goneMs, leftMs(world)) : 2_000);
  await patiently({ ask: launcher.close, again: ({ unsure }) => unsure, forMs: 30_000 });
  seat.closedAtMs = world.history.now();
  world.beside(untilOver(pc, game, true));
  await sitDown(pc);
};

/** One game from its token to the end of play. */
const visit = async (pc: Pc): Promise<void> => {
  const { world, name, chance } = pc;
  const [index, forMs] = [Math.floor(chance.between(0, world.games)), chance.between(8_000, 60_000)];
  const exit = chance.pick(exits);
  const token = await tokenFor(pc, index);
  const session = token && (await present(pc, token));
  if (!token || session === undefined) return sleep(chance.between(1_000, 3_000));
  tryAgain(pc, token);
  const inBatches = chance.chance(batchingPart);
  const game = { pc: name, token, session, sinceMs: world.history.now(), inBatches };
  pc.seat.begunAtMs = game.sinceMs;
  const left = world.playing();
  const plays = await keepPlaying(world, game, Math.min(game.sinceMs + forMs, world.overAtMs), chance);
  left();
  if (!plays) measured(world, game, world.history.now());
  else await part(pc, game, leftMs(world) > 0 ? exit : 'leave');
  await sleep(Math.min(chance.between(200, 4_000), leftMs(world)));
};

/** The launcher sends heartbeats as long as the PC runs. */
const holdOn = async (pc: Pc): Promise<void> => {
  const { world, launcher } = pc;
  while (leftMs(world) > 0) {
    await sleep(Math.min(holdEveryMs, leftMs(world)));
    const { outcome } = await launcher.hold();
    if (outcome === 'INVALID_SESSION_TOKEN') await sitDown(pc);
  }
};

/** A PC through a whole run: one player after the other, until everybody goes home. */
export const livePc = async (world: PlayersWorld, index: number): Promise<void> => {
  const chance = seeded(world.seed, index + 1);
  const name = `pc-${index}`;
  const launcher = world.calls.launcherOf(name, index % world.cafes);
  const pc: Pc = { world, name, launcher, chance, seat: { begunAtMs: 0, closedAtMs: 0 } };
  await sleep(Math.min(chance.between(0, 8_000), leftMs(world)));
  await sitDown(pc);
  world.beside(holdOn(pc));
  while (leftMs(world) > 0) await visit(pc);
};
