import type { Limits } from '#libs/kernel/limits.ts';
import { createGameServer } from '../game-server/game-server.ts';
import type { GameServer } from '../game-server/game-server.ts';
import { createLauncher } from '../launcher/launcher.ts';
import type { Launcher } from '../launcher/launcher.ts';
import type { Fetch } from '../http-client.ts';
import type { PlayFacts } from '../stack-file.ts';
import { readLedgers, printLedgers } from './compare-ledgers.ts';
import type { Seat } from './compare-ledgers.ts';
import { StepFailed, createStepPrinter } from './step-printer.ts';
import type { Print, StepPrinter } from './step-printer.ts';

const worthWaitingSec = 30;
const playsForSec = 2;
/** Game servers may stand anywhere. */
const gameServerAddress = '';
const machines = { one: 'SEAT-07', two: 'SEAT-12', three: 'SEAT-31' };

/** What a journey is played against. */
export interface JourneyOptions {
  readonly stack: PlayFacts;
  readonly limits: Limits;
  readonly print: Print;
  /** The command that shows the logs of a request or a service, named where a step fails. */
  readonly logs?: string;
  /** What sends the requests of whoever has this address; the system's fetch by default. */
  readonly via?: (address: string) => Fetch;
}

interface JourneyContext {
  readonly printer: StepPrinter;
  readonly limits: Limits;
  at(cafe: number, machineId: string): Launcher;
  server(game: number): GameServer;
  gameId(game: number): string;
}

const required = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw new Error(`the stack has no ${what}`);
  return value;
};

const contextOf = ({ stack, limits, via }: JourneyOptions, printer: StepPrinter): JourneyContext => {
  const game = (index: number) => required(stack.game.games[index], `game ${index}`);
  return {
    printer,
    limits,
    at: (index, machineId) => {
      const { cafe_id: cafeId, key_id: keyId, secret, ips } = required(stack.cafes[index], `cafe ${index}`);
      const cafe = { cafeId, keyId, secret: Buffer.from(secret, 'base64') };
      const clientIp = required(ips[0], 'address');
      const through = via && { via: via(clientIp) };
      return createLauncher({ url: stack.launcher.url, cafe, clientIp, machineId, ...through });
    },
    server: (index) =>
      createGameServer({
        url: stack.game.url,
        apiKey: required(game(index).api_keys[0], 'API key'),
        ...(via && { via: via(gameServerAddress) }),
      }),
    gameId: (index) => game(index).game_id,
  };
};

/** Token and verify: the id of the game session that begins, or undefined when it does not. */
const sitIn = async (
  { printer, server, gameId }: JourneyContext,
  launcher: Launcher,
  game: number,
  user: string,
) => {
  const ott = await printer.launcherCall(
    'launcher asks for a one-time token',
    launcher.requestOtt(gameId(game)),
    ({ ok }) => ok,
  );
  const token = ott.ok ? ott.data.ott : '';
  const verified = await printer.gameCall(
    'game server verifies the token',
    server(game).verify(token, user),
    (result) => result.ok && result.data.isValid,
  );
  return verified.ok && verified.data.isValid
    ? { token, gameSessionId: verified.data.gameSessionId }
    : { token, gameSessionId: '' };
};

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const playsAndLeaves = async (context: JourneyContext): Promise<Seat[]> => {
  const { printer, at, server } = context;
  printer.heading('Player 1 sits down in Seoul, plays, and leaves');
  const launcher = at(0, machines.one);
  await printer.launcherCall('launcher proves its cafe', launcher.start(), ({ ok }) => ok);
  const { token, gameSessionId } = await sitIn(context, launcher, 0, 'player-1');
  await printer.gameCall(
    'game server sends a heartbeat',
    server(0).heartbeat(gameSessionId, 'player-1'),
    (result) => result.ok && result.data.result === 'OK',
  );
  printer.print(`    … plays for ${playsForSec} s`);
  await wait(playsForSec * 1000);
  await printer.gameCall(
    'player leaves, game server ends',
    server(0).end(gameSessionId, playsForSec),
    (result) => result.ok && result.data.result === 'SUCCESS',
  );
  printer.print(`    ${printer.spentMs().toFixed(0)} ms for these five calls`);
  await printer.gameCall(
    'the token once more',
    server(0).verify(token, 'player-1'),
    (result) => result.ok && !result.data.isValid && result.data.reason === 'OTT_ALREADY_USED',
  );
  await printer.gameCall(
    'an end once more',
    server(0).end(gameSessionId),
    (result) => !result.ok && result.code === 'ALREADY_ENDED',
  );
  return [{ who: 'player 1, Seoul, played and left', gameSessionId }];
};

const changesGame = async (context: JourneyContext): Promise<Seat[]> => {
  const { printer, at, server } = context;
  printer.heading('Player 2 starts a second game on the same PC in Busan');
  const launcher = at(1, machines.two);
  await printer.launcherCall('launcher proves its cafe', launcher.start(), ({ ok }) => ok);
  const first = await sitIn(context, launcher, 1, 'player-2');
  const second = await sitIn(context, launcher, 2, 'player-2');
  await printer.gameCall(
    "the first game's next heartbeat",
    server(1).heartbeat(first.gameSessionId, 'player-2'),
    (result) => result.ok && result.data.result === 'SESSION_REPLACED',
  );
  await printer.gameCall(
    'the second game goes on',
    server(2).heartbeat(second.gameSessionId, 'player-2'),
    (result) => result.ok && result.data.result === 'OK',
  );
  await printer.gameCall(
    'player leaves, game server ends',
    server(2).end(second.gameSessionId),
    (result) => result.ok,
  );
  return [
    { who: 'player 2, Busan, replaced', gameSessionId: first.gameSessionId },
    { who: 'player 2, Busan, second game', gameSessionId: second.gameSessionId },
  ];
};

const vanishes = async (context: JourneyContext): Promise<Seat[]> => {
  const { printer, at, server, limits } = context;
  printer.heading('Player 3 vanishes in Incheon');
  const launcher = at(2, machines.three);
  await printer.launcherCall('launcher proves its cafe', launcher.start(), ({ ok }) => ok);
  const { gameSessionId } = await sitIn(context, launcher, 2, 'player-3');
  const expirySec = limits.sessionExpirySec + limits.sessionExpirySlackSec;
  if (expirySec > worthWaitingSec) {
    const at = new Date(Date.now() + expirySec * 1000).toISOString().slice(11, 19);
    printer.print(
      `    nobody will hear of player 3 again: the session expires at ${at} UTC, with the seconds that were proven`,
    );
    return [];
  }
  printer.print(`    … ${expirySec} s of silence`);
  await wait(expirySec * 1000 + 1_000);
  await printer.gameCall(
    'a heartbeat, far too late',
    server(2).heartbeat(gameSessionId, 'player-3'),
    (result) => !result.ok && result.code === 'SESSION_NOT_FOUND',
  );
  return [{ who: 'player 3, Incheon, vanished', gameSessionId }];
};

/** Plays the story of one player. After a step that failed the rest is left out. */
const played = async (
  story: (context: JourneyContext) => Promise<Seat[]>,
  context: JourneyContext,
): Promise<Seat[]> => {
  try {
    return await story(context);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    context.printer.print('    the rest of this player is left out');
    return [];
  }
};

/**
 * Three players at three cafes, over real HTTP; every step is printed and checked, and the ledgers are compared at the end. Resolves to
 * whether all was right, and to a session that was played, if one was. Throws when a ledger cannot be read.
 */
export const playJourney = async (
  options: JourneyOptions,
): Promise<{ ok: boolean; gameSessionId?: string }> => {
  const printer = createStepPrinter(options.print, options.logs);
  const context = contextOf(options, printer);
  const seats: Seat[] = [];
  for (const story of [playsAndLeaves, changesGame, vanishes]) seats.push(...(await played(story, context)));
  printLedgers(printer, await readLedgers(options.stack, seats));
  const ok = printer.failures() === 0;
  if (ok) options.print('\nThe journey is complete: every step was right.');
  else printer.printFailures();
  const [first] = seats;
  return first === undefined ? { ok } : { ok, gameSessionId: first.gameSessionId };
};
