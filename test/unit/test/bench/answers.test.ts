import {
  judged,
  judgeBatch,
  judgeEnd,
  judgeHeartbeat,
  judgeOtt,
  judgeStart,
  judgeVerify,
  ok,
} from '../../../bench/answers.ts';
import { createResponseReader, headerOf } from '../../../bench/http/response-reader.ts';
import type { HttpAnswer } from '../../../bench/http/response-reader.ts';

const requestId = `req_${'0f'.repeat(16)}`;
const id = 'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47';
const other = 'gs_4f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47';
const seconds = { atLeast: 10, atMost: 12 };

const answer = (status: number, body: unknown, more = ''): HttpAnswer => ({
  status,
  head: `HTTP/1.1 ${status} X\r\nX-Request-Id: ${requestId}${more}`,
  body: JSON.stringify(body),
});
const success = (data: unknown) => answer(200, { success: true, request_id: requestId, data });
const failure = (status: number, code: string, more?: string) =>
  answer(status, { success: false, request_id: requestId, error: { code, message: '' } }, more);

describe('every answer', () => {
  const outcomeOf = (given: Parameters<typeof judged>[0]) => judged(given, () => ok);

  test('is right when the envelope is', () => {
    expect(outcomeOf(success({}))).toBe(ok);
  });

  test.each([
    ['a body that is no JSON', { ...success({}), body: '<html>' }],
    ['an envelope without a request id', answer(200, { success: true, data: {} })],
    ['another request id in the header', { ...success({}), head: 'HTTP/1.1 200 OK\r\nX-Request-Id: req_1' }],
    ['a 200 that is no success', answer(200, { success: false, request_id: requestId, data: {} })],
    ['a refusal of a request that is right', failure(404, 'SESSION_NOT_FOUND')],
    ['a server that failed', failure(500, 'INTERNAL')],
    ['a 503 that does not say when to try again', failure(503, 'UNAVAILABLE')],
  ])('is wrong with %s', (_what, given) => {
    expect(outcomeOf(given).outcome).toBe('wrong');
  });

  test.each([
    ['no answer in time', 'timed out' as const, 'timed out'],
    ['a connection that broke', 'reset' as const, 'reset'],
    ['503 with Retry-After', failure(503, 'UNAVAILABLE', '\r\nRetry-After: 1'), '503 UNAVAILABLE'],
  ])('is an error, and not wrong, with %s', (_what, given, why) => {
    expect(outcomeOf(given)).toEqual({ outcome: 'error', why });
  });
});

describe('the values of an answer', () => {
  const beat = { result: 'OK', next_heartbeat_in: 120, play_duration_sec: 11 };
  const ended = { result: 'SUCCESS', play_duration_sec: 11, client_play_duration_sec: 10 };
  const verified = { is_valid: true, game_session_id: id, is_pc_cafe: true };
  const token = { ott: '9b2f6f0a-5f5e-4a8b-8d0f-3a6f0b1c2d3e', game_id: 'starfall', expires_in_sec: 60 };
  const started = {
    session_token: 'x'.repeat(48),
    heartbeat_interval_sec: 120,
    server_time: '2026-11-20T09:00:00.000Z',
    games: [{}],
  };
  const nowMs = Date.parse('2026-11-20T09:00:01.000Z');
  const nobody = () => false;

  test('are right as they should be', () => {
    const verdicts = [
      judgeHeartbeat(beat, seconds, 120),
      judgeEnd(ended, seconds, 10),
      judgeVerify(verified, nobody),
      judgeOtt(token, 'starfall', undefined),
      judgeStart(started, nowMs),
    ];

    expect(verdicts).toEqual(verdicts.map(() => ok));
  });

  test.each([
    ['a heartbeat that lost seconds', judgeHeartbeat({ ...beat, play_duration_sec: 9 }, seconds, 120)],
    ['a heartbeat of another session', judgeHeartbeat({ ...beat, play_duration_sec: 500 }, seconds, 120)],
    ['a pause above the interval', judgeHeartbeat({ ...beat, next_heartbeat_in: 121 }, seconds, 120)],
    [
      'a balance that cannot be used up',
      judgeHeartbeat({ ...beat, result: 'CHARGE_EXHAUSTED' }, seconds, 120),
    ],
    ['an end that counts other seconds', judgeEnd({ ...ended, play_duration_sec: 13 }, seconds, 10)],
    ['an end that forgot ours', judgeEnd({ ...ended, client_play_duration_sec: null }, seconds, 10)],
    ['a session that somebody else has', judgeVerify(verified, (known) => known === id)],
    ['a refused token', judgeVerify({ is_valid: false, reason: 'OTT_EXPIRED' }, nobody)],
    ['a player who is not in a cafe', judgeVerify({ ...verified, is_pc_cafe: false }, nobody)],
    ['the token of before', judgeOtt(token, 'starfall', token.ott)],
    ['a token for another game', judgeOtt(token, 'moonrise', undefined)],
    ['a clock that is wrong', judgeStart(started, nowMs + 60_000)],
    ['no games', judgeStart({ ...started, games: [] }, nowMs)],
  ])('are wrong with %s', (_what, verdict) => {
    expect(verdict.outcome).toBe('wrong');
  });

  test('of a batch are judged one by one, in their order', () => {
    const item = { game_session_id: id, status: 200, data: beat };
    const gone = { game_session_id: other, status: 404, error: { code: 'SESSION_NOT_FOUND' } };
    const judge = (data: Readonly<Record<string, unknown>>) => judgeHeartbeat(data, seconds, 120);
    const outcomes = (results: unknown) =>
      judgeBatch({ results }, [id, other], judge).map(({ outcome }) => outcome);

    expect(outcomes([item, gone])).toEqual(['ok', 'wrong']);
    expect(outcomes([gone, item])).toEqual(['wrong', 'wrong']);
    expect(outcomes([item])).toEqual(['wrong', 'wrong']);
    expect(outcomes([item, { ...gone, status: 503 }])).toEqual(['ok', 'error']);
  });
});

describe('reading answers off a connection', () => {
  const text = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nRetry-After: 7\r\n\r\nhéll';

  test('does not depend on where the bytes are cut', () => {
    const bytes = Buffer.from(text + text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const answers: HttpAnswer[] = [];
      const read = createResponseReader((each) => answers.push(each));
      read(Buffer.from(bytes.subarray(0, cut)));
      read(Buffer.from(bytes.subarray(cut)));

      expect(answers.map(({ status, body }) => [status, body])).toEqual([
        [200, 'héll'],
        [200, 'héll'],
      ]);
      expect(headerOf(answers[1]!, 'retry-after')).toBe('7');
    }
  });

  test('refuses an answer without a length', () => {
    const read = createResponseReader(() => undefined);

    expect(() => read(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'))).toThrow();
  });
});
