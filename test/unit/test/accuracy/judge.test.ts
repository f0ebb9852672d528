import type { HistoryLine } from '../../../accuracy/history.ts';
import { judge } from '../../../accuracy/judge/judge.ts';
import { call, fairHistory, of } from './fair-history.ts';

type Change = (history: HistoryLine[]) => void;

const without = (history: HistoryLine[], kind: HistoryLine['kind']): void =>
  void history.splice(history.indexOf(of(history, kind)), 1);
const booked =
  (sec: number): Change =>
  (history) => {
    of(history, 'partner').sec = sec;
    Object.assign(of(history, 'settled'), { sec, partner: sec });
    of(history, 'log').steps = [
      [1, 'active', 0],
      [3, 'ending', sec],
    ];
  };

test('the judge of the accuracy run finds nothing wrong where all ledgers say what was played', () => {
  const verdict = judge(fairHistory());

  expect(verdict.findings.flatMap(({ violations }) => violations)).toEqual([]);
  expect(verdict).toMatchObject({ ok: true, playedSec: 14, billedSec: 14, lostSec: 0, doubleSec: 0 });
});

test.each<[string, string, Change]>([
  ['I1', 'a token that gave two sessions', (h) => h.push({ ...of(h, 'log'), id: 'gs_2' })],
  [
    'I2',
    'two live sessions on a PC',
    (h) =>
      h.push(
        call(3_000, 'verify', 'VALID', { token: 2, session: 'gs_2' }),
        call(20_000, 'beat', 'OK', { session: 'gs_1' }),
      ),
  ],
  ['I3', 'a billing that still runs', (h) => (of(h, 'partner').status = 'started')],
  [
    'I3',
    'a billing at the partner that has no session',
    (h) => {
      for (const kind of ['log', 'settled'] as const) without(h, kind);
    },
  ],
  ['I3', 'a session without a billing', (h) => without(h, 'partner')],
  ['I4', 'more seconds than the session had', booked(16)],
  [
    'I5',
    'a player whose heartbeats came in time and who expired',
    (h) => {
      Object.assign(h[3]!, { op: 'beat', outcome: 'SESSION_NOT_FOUND', status: 404, sec: undefined });
      of(h, 'settled').reason = 'silence';
    },
  ],
  [
    'I6',
    'a session that lives after its end',
    (h) => h.push(call(16_000, 'beat', 'OK', { session: 'gs_1' })),
  ],
  ['I6', 'a session that is active again on the log', (h) => of(h, 'log').steps.push([5, 'active', 15])],
  ['I7', 'a partner that has other seconds', (h) => (of(h, 'partner').sec = 13)],
  ['I8', 'a session that is not in the ledger', (h) => without(h, 'settled')],
  ['I8', 'an end that was never confirmed', (h) => (of(h, 'settled').partner = null)],
  ['I8', 'a message that became a dead letter', (h) => of(h, 'dead').reasons.push('not JSON')],
  ['I8', 'a token that is left claimed on the log', (h) => of(h, 'claims').log.push('gs_1')],
  ['I8', 'a token that is left claimed in Redis', (h) => of(h, 'claims').redis.push('gs_1')],
  [
    'I9',
    'a verify that received the session of another player',
    (h) => h.push(call(2_000, 'verify', 'VALID', { token: 2, session: 'gs_1', pc: 'pc-2' })),
  ],
  [
    'I9',
    'a launcher that received the token of another',
    (h) => h.push(call(500, 'ott', 'OTT_OF_ANOTHER', { token: 2 })),
  ],
  ['I9', 'an end whose answer the ledger does not keep', booked(13)],
  [
    'I9',
    'an item of a batch whose status is not that of its code',
    (h) => h.push(call(16_000, 'end', 'ALREADY_ENDED', { session: 'gs_1', status: 410, batch: 1 })),
  ],
  [
    'I9',
    'an item of a batch that was answered as another',
    (h) => h.push(call(2_000, 'beat', 'ITEM_OF_ANOTHER', { session: 'gs_1', batch: 1 })),
  ],
  [
    'I6',
    'a session that an item of a batch ended and a single call ended again',
    (h) => h.push(call(15_005, 'end', 'SUCCESS', { session: 'gs_1', sec: 14, batch: 1 })),
  ],
])('it sees a broken %s: %s', (name, _, change) => {
  const history = fairHistory();
  change(history);
  const verdict = judge(history);

  expect(verdict.ok).toBe(false);
  const broken = verdict.findings.filter(({ violations }) => violations.length > 0);
  expect(broken.map((finding) => finding.name)).toContain(name);
});

describe('play on credit that the partner refused when it was back (D-12)', () => {
  test.each([
    ['has no billing', undefined, 0, false, true],
    ['has one without a second, because its stop was made again after a top-up (D-60)', 0, 0, true, true],
    ['has one without a second, and no stop was made again', 0, 0, false, false],
    ['has one of other seconds than it confirmed', 14, 0, true, false],
    ['has one without a second, and confirmed others', 0, 14, true, false],
  ])("is nobody's where the partner %s", (_, partner, confirmed, stoppedAgain, ok) => {
    const history = fairHistory();
    Object.assign(of(history, 'log'), { refused: true, stoppedAgain });
    of(history, 'settled').partner = confirmed;
    if (partner === undefined) without(history, 'partner');
    else of(history, 'partner').sec = partner;

    expect(judge(history)).toMatchObject({ ok, refused: { sessions: ok ? 1 : 0 } });
  });
});

test('it counts the seconds that were lost, and those that nobody played', () => {
  const [short, long] = [fairHistory(), fairHistory()];
  booked(10)(short);
  booked(30)(long);

  expect(judge(short)).toMatchObject({ lostSec: 4, doubleSec: 0 });
  expect(judge(long)).toMatchObject({ lostSec: 0, doubleSec: 16 });
});

/** The end was called at another instant, and all ledgers say so many seconds, until `ended`. */
const endedLate = ({ at, sec, ended }: Record<'at' | 'sec' | 'ended', number>): HistoryLine[] => {
  const history = fairHistory();
  booked(sec)(history);
  Object.assign(
    history.find((line) => line.kind === 'call' && line.op === 'end')!,
    { at, sec },
  );
  of(history, 'settled').ended = ended;
  return history;
};

test('an end that comes after an outage of ours shows no more play than the expiry that this put off (D-09)', () => {
  const history = endedLate({ at: 99_010, sec: 44, ended: 45_000 });

  expect(judge(history)).toMatchObject({ lostSec: 0, doubleSec: 0 });
});

test('an end that comes when a grace would have been over but for an outage of ours shows no more than the last heartbeat (D-09)', () => {
  const history = endedLate({ at: 33_010, sec: 28, ended: 29_505 });
  const told = [17_000, 25_000, 29_500].map((at) =>
    call(at, 'beat', 'CHARGE_EXHAUSTED', { session: 'gs_1', sec: Math.floor(at / 1_000) - 1 }),
  );
  history.splice(3, 0, ...told);

  expect(judge(history)).toMatchObject({ lostSec: 0, doubleSec: 0 });
});

test('a run in which the players themselves stalled is not judged', () => {
  const history = fairHistory();
  history.push({ kind: 'sample', at: 2_000, live: 1, lag: 2_500 });

  expect(judge(history).tooSlow).toBe(true);
});
