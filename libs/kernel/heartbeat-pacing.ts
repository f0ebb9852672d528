import type { Clock } from './clock.ts';

/** A second with fewer heartbeats is never crowded, so that small loads always hear the interval. */
const alwaysRoomFor = 30;
/** From so many times the mean on, a second is crowded. */
const crowdedFrom = 1.1;
/** Nobody is asked to come earlier than after this share of the interval. */
const earliestShare = 0.5;

/** Seconds until the next heartbeat of so many sessions, which hear the same and come again together. */
export type Pace = (sessions: number) => number;

/**
 * Spreads herds (D-55). A process counts how many heartbeats it asked for in each of the next seconds. Callers hear the interval; where that
 * second is crowded, the earliest second of the interval's second half that is not; where all are, the emptiest of them. A herd fills that
 * half, and one interval later the whole: an early second and a late one, each with the same room. Whoever has found a place there hears the
 * interval from then on. A process that has just begun knows of nobody else and asks some early for nothing, for one interval. The clock is
 * one that nobody sets.
 */
export const createHeartbeatPacing = (intervalSec: number, clock: Clock = () => performance.now()): Pace => {
  const earliestSec = Math.ceil(intervalSec * earliestShare);
  const due = new Float64Array(intervalSec + 1);
  let [nowSec, all] = [0, 0];
  const slotIn = (waitSec: number): number => (nowSec + waitSec) % due.length;
  const dueIn = (waitSec: number): number => due[slotIn(waitSec)] ?? 0;
  /** Forgets the seconds that have passed, and all of them where the clock was set back. */
  const advance = (toSec: number): void => {
    const passed = toSec < nowSec ? due.length : Math.min(due.length, toSec - nowSec);
    for (let second = 0; second < passed; second += 1) {
      all -= dueIn(second);
      due[slotIn(second)] = 0;
    }
    nowSec = toSec;
  };
  const choose = (): number => {
    const crowd = Math.max(alwaysRoomFor, (crowdedFrom * all) / intervalSec);
    if (dueIn(intervalSec) < crowd) return intervalSec;
    let emptiestSec = earliestSec;
    for (let waitSec = earliestSec; waitSec <= intervalSec; waitSec += 1) {
      if (dueIn(waitSec) < crowd) return waitSec;
      if (dueIn(waitSec) < dueIn(emptiestSec)) emptiestSec = waitSec;
    }
    return emptiestSec;
  };
  return (sessions) => {
    advance(Math.floor(clock() / 1000));
    const waitSec = choose();
    due[slotIn(waitSec)] = dueIn(waitSec) + sessions;
    all += sessions;
    return waitSec;
  };
};
