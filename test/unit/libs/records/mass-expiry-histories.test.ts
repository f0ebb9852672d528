import { guardState, lateMs, suspendsMs } from '#libs/records/mass-expiry-guard.ts';

const [windowMs, heartbeatMs] = [245_000, 120_000];
const sweepEveryMs = 500;
/** Of a batch that is released, as of sixteen shards with a pause of 320 ms each. */
const releasedPerSweep = 25;

interface History {
  readonly live: number;
  /** From when on nobody is heard, and until when. */
  readonly outage?: readonly [fromMs: number, untilMs: number];
  /** How many leave without a word at once, and when. */
  readonly leaving?: readonly [count: number, atMs: number];
  /** How often one leaves without a word, and another one comes. */
  readonly changesEveryMs?: number;
  readonly untilMs: number;
}

/** Who plays, when he was heard last, at which instant of each interval he sends his heartbeat, and when he leaves. */
interface Player {
  readonly phaseMs: number;
  seenMs: number;
  leftAtMs: number;
}

const playersOf = ({ live, leaving: [leavers, atMs] = [0, 0] }: History): Player[] =>
  Array.from({ length: live }, (_, at) => {
    const phaseMs = Math.floor((at * heartbeatMs) / live / sweepEveryMs) * sweepEveryMs;
    const leaves = at % 3 === 0 && at < 3 * leavers;
    return { phaseMs, seenMs: phaseMs - heartbeatMs, leftAtMs: leaves ? atMs : Infinity };
  });

/** Sweeps as a record store does, with what it notes in Redis; resolves to who expires. */
const createSweep = () => {
  let [suspendedUntilMs, heldAtMs] = [0, -1];
  return (playing: readonly Player[], nowMs: number): readonly Player[] => {
    const silentFor = (ms: number) => playing.filter(({ seenMs }) => nowMs - seenMs >= ms);
    const due = silentFor(windowMs);
    const late = silentFor(windowMs - lateMs({ windowMs, heartbeatMs })).length;
    const noted = {
      heldMs: heldAtMs < 0 ? -1 : nowMs - heldAtMs,
      suspendedMs: Math.max(0, suspendedUntilMs - nowMs),
    };
    const counts = { overdue: due.length, late, live: playing.length, agreed: false };
    const seen = { ...counts, ...noted, windowMs, heartbeatMs };
    const state = guardState(seen);
    const suspends = state === 'holds' ? suspendsMs(seen) : 0;
    if (suspends > 0) suspendedUntilMs = Math.max(suspendedUntilMs, nowMs + suspends);
    if (suspends > 0 && heldAtMs < 0) heldAtMs = nowMs;
    if (state === 'open') heldAtMs = -1;
    if (state === 'holds' || nowMs < suspendedUntilMs) return [];
    return due.slice(0, state === 'open' ? 64 : releasedPerSweep);
  };
};

/** One leaves without a word, and another one comes. */
const change = (playing: Player[], nowMs: number): void => {
  const leaver = playing.find(({ leftAtMs }) => leftAtMs === Infinity);
  if (leaver) leaver.leftAtMs = nowMs;
  playing.push({ phaseMs: nowMs % heartbeatMs, seenMs: nowMs, leftAtMs: Infinity });
};

/** How many of those who stayed, and of those who left, have ended by silence, and for how long somebody was due and did not end. */
const play = (history: History) => {
  const { outage: [away, back] = [0, 0], changesEveryMs = Infinity } = history;
  const sweep = createSweep();
  const ended: Player[] = [];
  let playing = playersOf(history);
  let [nextChangeMs, heldMs] = [changesEveryMs, 0];
  for (let nowMs = 0; nowMs <= history.untilMs; nowMs += sweepEveryMs) {
    const isAway = nowMs >= away && nowMs < back;
    const beating = playing.filter(
      ({ leftAtMs, phaseMs }) => !isAway && nowMs < leftAtMs && nowMs % heartbeatMs === phaseMs,
    );
    for (const each of beating) each.seenMs = nowMs;
    if (nowMs >= nextChangeMs) change(playing, nowMs);
    if (nowMs >= nextChangeMs) nextChangeMs += changesEveryMs;
    const expired = new Set(sweep(playing, nowMs));
    if (expired.size === 0 && playing.some(({ seenMs }) => nowMs - seenMs >= windowMs))
      heldMs += sweepEveryMs;
    ended.push(...expired);
    playing = playing.filter((each) => !expired.has(each));
  }
  const leftAndEnded = ended.filter(({ leftAtMs }) => leftAtMs < Infinity).length;
  return { stayedAndEnded: ended.length - leftAndEnded, leftAndEnded, heldMs };
};

test.each([120, 1_000, 4_000])(
  'an outage in front of us of six minutes ends none of %i sessions, whose heartbeats are spread (I5, D-25)',
  (live) => {
    const { stayedAndEnded } = play({ live, outage: [600_000, 960_000], untilMs: 1_500_000 });

    expect(stayedAndEnded).toBe(0);
  },
);

test('a third who left without a word have ended a quarter of an hour later, and nobody else has', () => {
  const ends = play({ live: 1_000, leaving: [300, 300_000], untilMs: 1_200_000 });

  expect(ends).toMatchObject({ stayedAndEnded: 0, leftAndEnded: 300 });
});

test('a few who leave end in time', () => {
  const ends = play({ live: 1_000, leaving: [40, 300_000], untilMs: 300_000 + windowMs + 10_000 });

  expect(ends).toMatchObject({ stayedAndEnded: 0, leftAndEnded: 40 });
});

test('after a mass expiry it holds no more, however many come and go without a word', () => {
  const hourMs = 3_600_000;
  const { stayedAndEnded, heldMs } = play({
    ...{ live: 1_000, leaving: [200, 300_000], changesEveryMs: 3_500, untilMs: 2 * hourMs },
  });

  expect(stayedAndEnded).toBe(0);
  expect(heldMs).toBeLessThan(600_000);
});
