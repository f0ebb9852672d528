import { doneByMs, gotMs, isProof, isUnsure, saysAlive } from './world.ts';
import type { Sitting, World } from './world.ts';

const wholeSec = (ms: number): number => Math.max(0, Math.floor(ms / 1000));

/** What can be said of a session's seconds by who stands outside: they are at least, and at most, this. */
export interface Bounds {
  /** Seconds that were surely played: from the answer that let the game begin to the sending of the last proof of life that was acknowledged. */
  readonly atLeast: number;
  /** Seconds that can have been played: from the first verify to the last possible proof of life; where D-09 adds an interval, with it. */
  readonly atMost: number;
  /** The largest number of seconds that an answer promised. */
  readonly promised: number;
}

const addsInterval = new Set(['replaced', 'launcher_ended']);

const lastPossibleMs = ({ calls, settled, askedMs }: Sitting): number => {
  const proofs = calls.map((call) => {
    if (isProof(call) || isUnsure(call)) return doneByMs(call);
    return settled?.reason === 'launcher_lapsed' ? gotMs(call) : askedMs;
  });
  return Math.max(askedMs, ...proofs);
};

/** Until when an end shows play: no longer than the session's expiry, by silence or the end of its grace, which an outage of ours may have put off (D-09). */
const endsShowUntilMs = ({ calls, knownMs = Infinity }: Sitting, limits: World['limits']): number => {
  const beats = calls.filter(saysAlive);
  const lastBeatMs = Math.max(-Infinity, ...beats.map(({ at }) => at));
  const lastOk = beats.findLastIndex(({ outcome }) => outcome === 'OK');
  const graceOverMs = (beats[lastOk + 1]?.at ?? Infinity) + limits.graceMs;
  const silentMs = (lastBeatMs === -Infinity ? knownMs : lastBeatMs) + limits.expiryMs;
  return Math.max(lastBeatMs, Math.min(silentMs, graceOverMs));
};

/** The bounds of a session, by the clock of the game servers. No tolerance but whole seconds. */
export const boundsOf = (sitting: Sitting, { limits }: World): Bounds => {
  const { calls, knownMs, askedMs, settled } = sitting;
  const proofs = calls.filter(isProof);
  const begunBy = knownMs ?? Infinity;
  const shownUntilMs = endsShowUntilMs(sitting, limits);
  const lastSentMs = Math.max(
    ...proofs.map((call) => (saysAlive(call) ? call.at : Math.min(call.at, shownUntilMs))),
  );
  // Until its verify was answered a session may have begun late: the earliest proof is the answer itself.
  const until = lastPossibleMs(sitting) + (addsInterval.has(settled?.reason ?? '') ? limits.intervalMs : 0);
  return {
    atLeast: proofs.length > 0 && Number.isFinite(begunBy) ? wholeSec(lastSentMs - begunBy) : 0,
    atMost: Number.isFinite(askedMs) ? wholeSec(until - askedMs) : 0,
    promised: Math.max(0, ...proofs.map(({ sec }) => sec ?? 0)),
  };
};

/**
 * Play on credit that the partner refused when it was back (D-12): nobody can bill it, and settlement knows it as unconfirmed. A stop that was made
 * again after a top-up leaves a billing at the partner without a second, as it confirmed (D-60); no other stop does.
 */
export const isRefused = ({ log, partner, settled }: Sitting): boolean => {
  if (log?.refused !== true) return false;
  return partner === undefined || (log.stoppedAgain && partner.sec === 0 && settled?.partner === 0);
};

/** Seconds of a session that a proof stands for and a book does not have. */
export const lostSec = (sitting: Sitting, world: World): number => {
  const { atLeast, promised } = boundsOf(sitting, world);
  const settled = sitting.settled?.sec ?? 0;
  const booked = isRefused(sitting) ? settled : Math.min(sitting.partner?.sec ?? 0, settled);
  return Math.max(0, Math.max(atLeast, promised) - booked);
};

/** Seconds of a session that a book has and nobody can have played. */
export const inventedSec = (sitting: Sitting, world: World): number =>
  Math.max(
    0,
    Math.max(sitting.partner?.sec ?? 0, sitting.settled?.sec ?? 0) - boundsOf(sitting, world).atMost,
  );

/** Seconds for which two sessions of one PC were both billed, where the earlier one's game server had not proved that it still played. */
export const overlaps = ({ sittings }: World): { readonly sec: number; readonly what: string }[] => {
  const byPc = Map.groupBy(
    sittings.filter(({ settled }) => settled !== undefined),
    ({ settled }) => settled?.pc,
  );
  const found: { sec: number; what: string }[] = [];
  for (const onPc of byPc.values()) {
    const inOrder = onPc.toSorted((one, other) => (one.settled?.began ?? 0) - (other.settled?.began ?? 0));
    inOrder.forEach((later, index) => {
      const earlier = inOrder[index - 1];
      const sec = earlier ? overlapSec(earlier, later) : 0;
      if (sec > 0) found.push({ sec, what: `${earlier?.id} and ${later.id} on ${later.pc}: ${sec} s` });
    });
  }
  return found;
};

const overlapSec = (earlier: Sitting, later: Sitting): number => {
  if (!earlier.settled || !later.settled) return 0;
  const provedUntil = Math.max(
    0,
    ...earlier.calls.filter((call) => isProof(call) || isUnsure(call)).map(gotMs),
  );
  const from = Math.max(later.settled.began, provedUntil);
  return wholeSec(Math.min(earlier.settled.ended, later.settled.ended) - from);
};
