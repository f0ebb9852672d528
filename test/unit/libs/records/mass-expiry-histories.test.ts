import { createMassExpiryGuard, isMassDue, suspendedMs } from '#libs/records/mass-expiry-guard.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';

const [windowMs, heartbeatMs] = [245_000, 120_000];
const sweepEveryMs = 500;
/** Of a batch that is released, as of sixteen shards with a pause of 320 ms each. */
const releasedPerSweep = 25;

interface History {
  readonly live: number;
  /** From when on nobody is heard, and until when. */
  readonly outage?: readonly [fromMs: number, untilMs: number];
  /** How many leave without a word, and when. */
  readonly leaving?: readonly [count: number, atMs: number];
  readonly untilMs: number;
}

/** Who plays, when he was heard last, and at which instant of each interval he sends his heartbeat. */
interface Player {
  readonly leaves: boolean;
  readonly phaseMs: number;
  seenMs: number;
}

const playersOf = ({ live, leaving: [leavers] = [0, 0] }: History): Player[] =>
  Array.from({ length: live }, (_, at) => {
    const phaseMs = Math.floor((at * heartbeatMs) / live / sweepEveryMs) * sweepEveryMs;
    return { leaves: at % 3 === 0 && at < 3 * leavers, phaseMs, seenMs: phaseMs - heartbeatMs };
  });

/** Sweeps as a record store does, with what it notes in Redis; resolves to who expires. */
const createSweep = () => {
  const clock = { nowMs: 0 };
  const parts = { log: { warn: () => undefined }, metrics: createMetrics('game-session') };
  const guard = createMassExpiryGuard(parts, { now: () => clock.nowMs });
  let [amnestyUntilMs, heldAtMs] = [0, -1];
  return (playing: readonly Player[], nowMs: number): readonly Player[] => {
    clock.nowMs = nowMs;
    const silentFor = (ms: number) => playing.filter(({ seenMs }) => nowMs - seenMs >= ms);
    const due = silentFor(windowMs);
    const heldMs = heldAtMs < 0 ? -1 : nowMs - heldAtMs;
    const counts = { overdue: due.length, late: silentFor((windowMs + heartbeatMs) / 2).length };
    const seen = { ...counts, live: playing.length, agreed: false, heldMs, windowMs, heartbeatMs };
    const state = guard(seen);
    const suspends = state === 'holds' && heldMs < windowMs + heartbeatMs;
    if (suspends) amnestyUntilMs = nowMs + suspendedMs;
    if (suspends && isMassDue(seen) && heldAtMs < 0) heldAtMs = nowMs;
    if (state === 'open') heldAtMs = -1;
    if (state === 'holds' || nowMs < amnestyUntilMs) return [];
    return due.slice(0, state === 'open' ? 64 : releasedPerSweep);
  };
};

/** How many of those who stayed, and of those who left, have ended by silence. */
const play = (history: History) => {
  const { outage: [away, back] = [0, 0], leaving: [, leftAtMs] = [0, 0] } = history;
  const sweep = createSweep();
  const ended: Player[] = [];
  let playing = playersOf(history);
  for (let nowMs = 0; nowMs <= history.untilMs; nowMs += sweepEveryMs) {
    const isAway = nowMs >= away && nowMs < back;
    const beating = playing.filter(({ leaves, phaseMs }) => {
      const isThere = !leaves || nowMs < leftAtMs;
      return !isAway && isThere && nowMs % heartbeatMs === phaseMs;
    });
    for (const each of beating) each.seenMs = nowMs;
    const expired = new Set(sweep(playing, nowMs));
    ended.push(...expired);
    playing = playing.filter((each) => !expired.has(each));
  }
  const leftAndEnded = ended.filter(({ leaves }) => leaves).length;
  return { stayedAndEnded: ended.length - leftAndEnded, leftAndEnded };
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

  expect(ends).toEqual({ stayedAndEnded: 0, leftAndEnded: 300 });
});

test('a few who leave end in time', () => {
  const ends = play({ live: 1_000, leaving: [40, 300_000], untilMs: 300_000 + windowMs + 10_000 });

  expect(ends).toEqual({ stayedAndEnded: 0, leftAndEnded: 40 });
});
