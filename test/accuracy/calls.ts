import * as game from '#libs/contracts/api/game.ts';
import { bodyText, call } from '#simulators/http-client.ts';
import type { CallResult } from '#simulators/http-client.ts';
import { createLauncher } from '#simulators/launcher/launcher.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import type { History, LineOf } from './history.ts';

type Call = LineOf<'call'>;
type Who = Pick<Call, 'op' | 'pc'> & Partial<Pick<Call, 'token' | 'session'>>;
type Outcome = Pick<Call, 'outcome'> & Partial<Pick<Call, 'session' | 'sec'>>;

/** What a caller received, in one word, and whether asking again makes sense. */
export interface Answer<T> {
  readonly outcome: string;
  /** Nothing came back, or 5xx: nobody knows what became of it. */
  readonly unsure: boolean;
  readonly data?: T;
}

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
  const unsure = status === 0 || status >= 500 || status === 429;
  return { outcome: answered.outcome, unsure, ...(answer?.ok && { data: answer.data }) };
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

/** Calls of the game servers, and of the launchers of any number of PCs. */
export const createCalls = (stack: StackFacts, history: History) => {
  const { url } = stack.game;
  const headersOf = (index: number) => ({
    'X-Api-Key': required(stack.game.games[index]?.api_keys[0], `game ${index}`),
  });
  return {
    launcherOf: launcherCalls(stack, history),
    /** With a key, the same verify may be asked again and is answered the same (D-15). */
    verify: (pc: string, { number: token, ott, game: index }: Token, key?: string) => {
      const body = bodyText({ ott, providerUserId: userOf(token) });
      const headers = { ...headersOf(index), ...(key !== undefined && { 'Idempotency-Key': key }) };
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
        () => call(game.heartbeat, { url, headers: headersOf(index), body }),
        (data) => ({ outcome: data.result, sec: data.playDurationSec }),
      );
    },
    end: (pc: string, { number: token, game: index }: Token, session: string, clientSec: number) => {
      const body = bodyText({ gameSessionId: session, playDurationSec: clientSec });
      return recorded(
        history,
        { op: 'end', pc, token, session },
        () => call(game.end, { url, headers: headersOf(index), body }),
        (data) => ({ outcome: data.result, sec: data.playDurationSec }),
      );
    },
  };
};

/** Calls that are written down. */
export type Calls = ReturnType<typeof createCalls>;
/** The launcher of one PC. */
export type RecordedLauncher = ReturnType<Calls['launcherOf']>;
