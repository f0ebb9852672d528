import * as game from '#libs/contracts/api/game.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import { bodyText, call } from '#simulators/http-client.ts';
import type { CallResult } from '#simulators/http-client.ts';
import { createLauncher } from '#simulators/launcher/launcher.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { isUnsure } from './answer.ts';
import type { Answer } from './answer.ts';
import { createBatch } from './game-batches.ts';
import type { Batches } from './game-batches.ts';
import type { History, LineOf } from './history.ts';

type Call = LineOf<'call'>;
type Who = Pick<Call, 'op' | 'pc'> & Partial<Pick<Call, 'token' | 'session'>>;
type Outcome = Pick<Call, 'outcome'> & Partial<Pick<Call, 'session' | 'sec'>>;

/** Makes a call and writes down what was asked, what came back and how long it took. */
const recorded = async <T>(
  history: History,
  who: Who,
  work: () => Promise<CallResult<T>>,
  read: (data: T) => Outcome,
): Promise<Answer<T>> => {
  const at = history.now();
  const answer = await work().catch(() => undefined);
  const answered: Outcome =
    answer === undefined ? { outcome: 'NOTHING' } : answer.ok ? read(answer.data) : { outcome: answer.code };
  const status = answer?.status ?? 0;
  history.add({ kind: 'call', at, took: history.now() - at, status, ...who, ...answered });
  return { outcome: answered.outcome, unsure: isUnsure(status), ...(answer?.ok && { data: answer.data }) };
};

/** A token that a launcher was given: by its number in the history, and the token itself, which is written nowhere. */
export interface Token {
  readonly number: number;
  readonly ott: string;
  readonly game: number;
}

/** The player of a token: one of its own for each, so that the ledgers can be compared. */
export const userOf = (token: number): string => `player-${token}`;

const required = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw new Error(`the stack has no ${what}`);
  return value;
};

const launcherCalls = (stack: StackFacts, history: History) => {
  let tokens = 0;
  const pcs = new Map<string, string>();
  /** A token is for the game and the PC that asked, or it is the reply to another launcher. */
  const isOwn = (pc: string, ott: string, isItsGame: boolean): boolean => {
    if (!pcs.has(ott)) pcs.set(ott, pc);
    return isItsGame && pcs.get(ott) === pc;
  };
  return (pc: string, cafe: number) => {
    const { cafe_id: cafeId, key_id: keyId, secret, ips } = required(stack.cafes[cafe], `cafe ${cafe}`);
    const keys = { cafeId, keyId, secret: Buffer.from(secret, 'base64') };
    const clientIp = required(ips[0], 'address');
    const launcher = createLauncher({ url: stack.launcher.url, cafe: keys, clientIp, machineId: pc });
    const success = () => ({ outcome: 'SUCCESS' });
    return {
      sit: () => recorded(history, { op: 'sit', pc }, launcher.start, success),
      hold: () => recorded(history, { op: 'hold', pc }, launcher.heartbeat, success),
      close: () => recorded(history, { op: 'close', pc }, launcher.end, success),
      ott: async (gameIndex: number): Promise<{ answer: Answer<unknown>; token?: Token }> => {
        const { game_id: gameId } = required(stack.game.games[gameIndex], `game ${gameIndex}`);
        tokens += 1;
        const number = tokens;
        const who = { op: 'ott', pc, token: number } as const;
        const answer = await recorded(
          history,
          who,
          () => launcher.requestOtt(gameId),
          (data) => ({
            outcome: isOwn(pc, data.ott, data.gameId === gameId) ? 'SUCCESS' : 'OTT_OF_ANOTHER',
          }),
        );
        const { data } = answer;
        return { answer, ...(data && { token: { number, ott: data.ott, game: gameIndex } }) };
      },
    };
  };
};

type Beaten = Data<typeof game.heartbeat>;
type Ended = Data<typeof game.end>;
const beatenAs = ({ result: outcome, playDurationSec: sec }: Beaten): Outcome => ({ outcome, sec });
const endedAs = ({ result: outcome, playDurationSec: sec }: Ended): Outcome => ({ outcome, sec });

const headersOf = ({ game: { games } }: StackFacts, index: number) => ({
  'X-Api-Key': required(games[index]?.api_keys[0], `game ${index}`),
});

/** The batches of one game (D-41): heartbeats, and ends. */
const batchesOf = (stack: StackFacts, batches: Batches, index: number) => {
  const to = { url: stack.game.url, headers: headersOf(stack, index) };
  return {
    beats: createBatch<{ gameSessionId: string; providerUserId: string }, Beaten>(batches, {
      op: 'beat',
      send: (sessions) => call(game.heartbeats, { ...to, body: bodyText({ sessions }) }),
      read: beatenAs,
    }),
    ends: createBatch<{ gameSessionId: string; playDurationSec: number }, Ended>(batches, {
      op: 'end',
      send: (sessions) => call(game.ends, { ...to, body: bodyText({ sessions }) }),
      read: endedAs,
    }),
  };
};

/** What game servers say in batches. */
const inBatches = (stack: StackFacts, history: History, onSent: () => void) => {
  let sent = 0;
  const batches = { history, onSent, number: () => (sent += 1) };
  const ofGames = stack.game.games.map((_, index) => batchesOf(stack, batches, index));
  const of = (index: number) => required(ofGames[index], `game ${index}`);
  return {
    beat: (pc: string, { number: token, game: index }: Token, session: string) =>
      of(index).beats({
        ...{ pc, token, session },
        body: { gameSessionId: session, providerUserId: userOf(token) },
      }),
    end: (pc: string, { number: token, game: index }: Token, session: string, clientSec: number) =>
      of(index).ends({
        ...{ pc, token, session },
        body: { gameSessionId: session, playDurationSec: clientSec },
      }),
  };
};

/** Calls of the game servers, and of the launchers of any number of PCs. `onBatch` is told of each batch when it is sent. */
export const createCalls = (stack: StackFacts, history: History, onBatch: () => void) => {
  const { url } = stack.game;
  return {
    launcherOf: launcherCalls(stack, history),
    batched: inBatches(stack, history, onBatch),
    /** With a key, the same verify may be asked again and is answered the same (D-15). */
    verify: (pc: string, { number: token, ott, game: index }: Token, key?: string) => {
      const body = bodyText({ ott, providerUserId: userOf(token) });
      const headers = { ...headersOf(stack, index), ...(key !== undefined && { 'Idempotency-Key': key }) };
      return recorded(
        history,
        { op: 'verify', pc, token },
        () => call(game.verify, { url, headers, body }),
        (data) =>
          data.isValid ? { outcome: 'VALID', session: data.gameSessionId } : { outcome: data.reason },
      );
    },
    beat: (pc: string, { number: token, game: index }: Token, session: string) => {
      const body = bodyText({ gameSessionId: session, providerUserId: userOf(token) });
      return recorded(
        history,
        { op: 'beat', pc, token, session },
        () => call(game.heartbeat, { url, headers: headersOf(stack, index), body }),
        beatenAs,
      );
    },
    end: (pc: string, { number: token, game: index }: Token, session: string, clientSec: number) => {
      const body = bodyText({ gameSessionId: session, playDurationSec: clientSec });
      return recorded(
        history,
        { op: 'end', pc, token, session },
        () => call(game.end, { url, headers: headersOf(stack, index), body }),
        endedAs,
      );
    },
  };
};

/** Calls that are written down. */
export type Calls = ReturnType<typeof createCalls>;
/** The launcher of one PC. */
export type RecordedLauncher = ReturnType<Calls['launcherOf']>;
