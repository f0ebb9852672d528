import { setTimeout } from 'node:timers/promises';
import { driveClosed } from './drive.ts';
import type { Operations, Prepared } from './operations.ts';
import type { Pc, Pcs } from './pcs.ts';

/** Enough to keep every process busy, few enough to leave no queue behind. */
const atOnce = 24;
/** Whoever was refused comes back, as Retry-After says. */
const comeBackMs = 1_000;
const staleMs = 60_000;
const rounds = 60;
const lookEveryMs = 1_000;
/** Of the time that a launcher has for its next heartbeat: from here on it is sent, and those of all are spread over what is left. */
const waitsShare = 2 / 3;

/** Says how far it is. */
export type Progress = (text: string) => void;

/** What prepares a phase; nothing of it is measured. */
export interface Players {
  /** So many players play. Throws when they cannot. */
  seat(count: number): Promise<void>;
  /** So many launchers run whose players do not play. */
  launch(count: number): Promise<void>;
  /** So many launchers hold a new token, or as many as can within the seconds. */
  stock(count: number, maxSec: number): Promise<void>;
  /** At most so many go on playing; the others leave. */
  trim(count: number): Promise<void>;
  /** At most so many launchers go on waiting; the others end. */
  sendHome(waiting: number): Promise<void>;
  /** All launchers end, and what is played there: nobody is left to fall silent. */
  leave(): Promise<void>;
  /** Everybody who plays, and their launchers, were heard within the last minute. */
  refresh(): Promise<void>;
  /** Launchers send their heartbeats, as they were told to, until it is over; nobody's session ends because its launcher fell silent. */
  keepLaunchers(over: AbortSignal): Promise<void>;
  /** Heartbeats of launchers that were sent so far, and wrong answers to all that is not measured. */
  beside(): { readonly launcherBeats: number; readonly wrong: number };
}

/** Launchers whose heartbeats are to be sent within the next look, those that have waited longest first. */
const dueLaunchers = ({ idle, launching, playing }: Pcs): Pc[] => {
  const all = [...idle.items(), ...launching.items(), ...playing.items()];
  const [now, [first]] = [performance.now(), all];
  if (first === undefined) return [];
  const restMs = first.intervalSec * 1000 * (1 - waitsShare);
  return all
    .filter(({ launcherSeenMs, intervalSec }) => now - launcherSeenMs > intervalSec * 1000 * waitsShare)
    .sort((one, other) => one.launcherSeenMs - other.launcherSeenMs)
    .slice(0, Math.ceil((all.length * lookEveryMs) / restMs));
};

/** The players of a stack. */
export const playersOf = (pcs: Pcs, operations: Operations, progress: Progress): Players => {
  let [launcherBeats, wrong] = [0, 0];
  const closed = async (next: () => Prepared | undefined, maxSec = Infinity): Promise<void> => {
    const loop = { atOnce, untilMs: performance.now() + maxSec * 1000 };
    const { notOk, reasons, wrong: more } = await driveClosed(loop, next);
    wrong += more;
    if (notOk > 0) progress(`${notOk} answers while preparing were not right: ${[...reasons].join(', ')}`);
  };
  const upTo = (count: number, make: () => Prepared | undefined) => {
    let made = 0;
    return () => ((made += 1) <= count ? make() : undefined);
  };
  const waiting = () => pcs.idle.size + pcs.launching.size;
  /** One step further for as many players as are missing: verifies come before tokens, tokens before starts. */
  const seating = (missing: number) => {
    const [ott, start] = [upTo(missing, operations.ott), upTo(missing - waiting(), operations.start)];
    return () =>
      (pcs.launching.size > 0 ? operations.verify() : undefined) ??
      (pcs.idle.size > 0 ? ott() : undefined) ??
      start();
  };
  const seat = async (count: number): Promise<void> => {
    for (let round = 0; pcs.playing.size < count && round < rounds; round += 1) {
      progress(`${pcs.playing.size} of ${count} sessions play`);
      if (round > 0) await setTimeout(comeBackMs);
      await closed(seating(count - pcs.playing.size));
    }
    if (pcs.playing.size < count)
      throw new Error(`only ${pcs.playing.size} of ${count} sessions could begin`);
  };
  const stale = ({ launcherSeenMs }: Pc): boolean => performance.now() - launcherSeenMs > staleMs;
  return {
    seat,
    launch: (count) => closed(upTo(count - pcs.idle.size, operations.start)),
    stock: (count, maxSec) => {
      // A token of an earlier stretch might not live until it is presented: whoever holds one asks again.
      for (let pc = pcs.launching.take(); pc; pc = pcs.launching.take()) pcs.idle.push(pc);
      const [ott, start] = [upTo(count, operations.ott), upTo(count - pcs.idle.size, operations.start)];
      return closed(() => (pcs.idle.size > 0 ? ott() : undefined) ?? start(), maxSec);
    },
    sendHome: (count) =>
      closed(() => {
        const pc = pcs.idle.size > count ? pcs.idle.take() : undefined;
        return pc && operations.goHome(pc);
      }),
    leave: () =>
      closed(() => {
        const pc = pcs.idle.take() ?? pcs.launching.take() ?? pcs.playing.take();
        return pc && operations.goHome(pc);
      }),
    beside: () => ({ launcherBeats, wrong }),
    trim: (count) => closed(() => (pcs.playing.size > count ? operations.end() : undefined)),
    refresh: async () => {
      const launchers = [...pcs.playing.items(), ...pcs.launching.items()].filter(stale);
      await closed(() => {
        const pc = launchers.pop();
        return pc && operations.refresh(pc);
      });
      const silent = pcs.playing
        .items()
        .filter(({ heardMs }) => performance.now() - heardMs > staleMs).length;
      await closed(upTo(silent, operations.heartbeat));
    },
    keepLaunchers: async (over) => {
      while (!over.aborted) {
        const due = dueLaunchers(pcs).values();
        await closed(() => {
          const { value: pc } = due.next();
          if (pc) launcherBeats += 1;
          return pc && operations.refresh(pc);
        });
        await setTimeout(lookEveryMs, undefined, { signal: over }).catch(() => undefined);
      }
    },
  };
};
