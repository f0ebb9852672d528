import { headerOf } from './http/response-reader.ts';
import type { Outcome } from './http/connection.ts';

/** `wrong`: an answer that must not be. `error`: no answer, or one that says to try again. */
export interface Verdict {
  readonly outcome: 'ok' | 'wrong' | 'error';
  /** Why it is not ok, without ids, so that equal reasons can be counted. */
  readonly why: string;
}

/** As it should be. */
export const ok: Verdict = { outcome: 'ok', why: '' };
const wrong = (why: string): Verdict => ({ outcome: 'wrong', why });
const failed = (why: string): Verdict => ({ outcome: 'error', why });

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const sessionId = /^gs_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const requestId = /^req_[0-9a-f]{32}$/;
const clockToleranceMs = 10_000;

const parsed = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const codeIn = (body: Json): string =>
  isObject(body['error']) ? String(body['error']['code']) : 'without a code';

/** Whether a request was refused because there was no time for it; the answer is fast, and tells nothing of how fast answers are. */
export const isRefusal = ({ outcome, why }: Verdict): boolean =>
  outcome === 'error' && /^(429|503) /.test(why);

/** Judges status and envelope, and hands the data of a success on. Every answer of the APIs goes through here. */
export const judged = (outcome: Outcome, judgeData: (data: Json) => Verdict): Verdict => {
  if (typeof outcome === 'string') return failed(outcome);
  const body = parsed(outcome.body);
  if (body === undefined) return wrong(`${outcome.status}: the body is not JSON`);
  const id = body['request_id'];
  if (typeof id !== 'string' || !requestId.test(id)) return wrong('the envelope has no request_id');
  if (headerOf(outcome, 'x-request-id') !== id) return wrong('X-Request-Id is not the request_id');
  if (outcome.status === 200) {
    if (body['success'] !== true || !isObject(body['data'])) return wrong('the envelope of a 200 is wrong');
    return judgeData(body['data']);
  }
  if (body['success'] !== false) return wrong('the envelope of an error is wrong');
  const said = `${outcome.status} ${codeIn(body)}`;
  if (outcome.status !== 503 && outcome.status !== 429) return wrong(said);
  return headerOf(outcome, 'retry-after') === undefined ? wrong(`${said} without Retry-After`) : failed(said);
};

const isSeconds = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

/** The seconds of play that an answer may tell. */
export interface Seconds {
  readonly atLeast: number;
  readonly atMost: number;
}

const outside = (value: unknown, { atLeast, atMost }: Seconds): boolean =>
  !isSeconds(value) || value < atLeast || value > atMost;

/** The answer to a session start. */
export const judgeStart = (data: Json, nowMs: number): Verdict => {
  const { session_token: token, heartbeat_interval_sec: interval, server_time: time, games } = data;
  if (typeof token !== 'string' || token.length < 43) return wrong('start: session_token');
  if (!isSeconds(interval) || interval === 0) return wrong('start: heartbeat_interval_sec');
  const offMs = Math.abs(Date.parse(String(time)) - nowMs);
  if (Number.isNaN(offMs) || offMs > clockToleranceMs) return wrong('start: server_time');
  return Array.isArray(games) && games.length > 0 ? ok : wrong('start: games');
};

/** The answer to a request for a token. */
export const judgeOtt = (data: Json, gameId: string, before: string | undefined): Verdict => {
  const { ott, game_id: game, expires_in_sec: expires } = data;
  if (typeof ott !== 'string' || !uuid4.test(ott)) return wrong('ott: not a UUID of version 4');
  if (ott === before) return wrong('ott: the same token twice');
  if (game !== gameId) return wrong('ott: another game');
  return isSeconds(expires) && expires > 0 ? ok : wrong('ott: expires_in_sec');
};

/** The answer to a verify of a token that nobody has used. `isKnown`: whether this id was given to another player before. */
export const judgeVerify = (data: Json, isKnown: (id: string) => boolean): Verdict => {
  const { is_valid: isValid, game_session_id: id, is_pc_cafe: isPcCafe } = data;
  if (isValid !== true) return wrong(`verify: refused, ${String(data['reason'])}`);
  if (typeof id !== 'string' || !sessionId.test(id)) return wrong('verify: game_session_id');
  if (isKnown(id)) return wrong('verify: a session id that somebody else has');
  return isPcCafe === true ? ok : wrong('verify: is_pc_cafe');
};

/** The answer to a heartbeat of a session that plays. `intervalSec`: what `next_heartbeat_in` never exceeds. */
export const judgeHeartbeat = (data: Json, seconds: Seconds, intervalSec: number): Verdict => {
  const { result, next_heartbeat_in: next, play_duration_sec: duration } = data;
  if (result !== 'OK') return wrong(`heartbeat: ${String(result)}`);
  if (!isSeconds(next) || next === 0 || next > intervalSec) return wrong('heartbeat: next_heartbeat_in');
  return outside(duration, seconds) ? wrong('heartbeat: play_duration_sec') : ok;
};

/** The answer to a launcher's heartbeat. */
export const judgeLauncherHeartbeat = ({ result }: Json): Verdict =>
  result === 'OK' ? ok : wrong(`launcher heartbeat: ${String(result)}`);

/** The answer to the end of a launcher. */
export const judgeLauncherEnd = ({ result }: Json): Verdict =>
  result === 'SUCCESS' ? ok : wrong(`launcher end: ${String(result)}`);

/** The answer to the first end of a session. */
export const judgeEnd = (data: Json, seconds: Seconds, clientSec: number): Verdict => {
  if (data['result'] !== 'SUCCESS') return wrong(`end: ${String(data['result'])}`);
  if (data['client_play_duration_sec'] !== clientSec) return wrong('end: client_play_duration_sec');
  return outside(data['play_duration_sec'], seconds) ? wrong('end: play_duration_sec') : ok;
};

const judgeItem = (item: unknown, id: string, judge: (data: Json) => Verdict): Verdict => {
  if (!isObject(item) || item['game_session_id'] !== id) return wrong('batch: items in another order');
  if (item['status'] === 503) return failed(`item ${codeIn(item)}`);
  if (item['status'] !== 200 || !isObject(item['data'])) return wrong(`batch: item ${codeIn(item)}`);
  return judge(item['data']);
};

/** The answers to a batch, one verdict an item. `judge` judges the data of item `index`. */
export const judgeBatch = (
  data: Json,
  ids: readonly string[],
  judge: (data: Json, index: number) => Verdict,
): Verdict[] => {
  const { results } = data;
  if (!Array.isArray(results) || results.length !== ids.length)
    return ids.map(() => wrong('batch: another number of results'));
  return ids.map((id, index) => judgeItem(results[index], id, (each) => judge(each, index)));
};
