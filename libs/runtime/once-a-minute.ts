const aMinuteMs = 60_000;

interface Held<T> {
  last?: T;
  count: number;
}

/** Notes something of a kind. */
export type Note<T> = (kind: string, what: T) => void;

/** Writes the first of a kind at once; of those that follow, the last one of each minute with their number. */
export const onceAMinute = <T>(
  write: (what: T, count: number) => void,
  everyMs: number = aMinuteMs,
): Note<T> => {
  const held = new Map<string, Held<T>>();
  const release = (kind: string): void => {
    const { last, count } = held.get(kind) ?? { count: 0 };
    held.delete(kind);
    if (last === undefined) return;
    write(last, count);
    hold(kind);
  };
  const hold = (kind: string): void => {
    held.set(kind, { count: 0 });
    setTimeout(release, everyMs, kind).unref();
  };
  return (kind, what) => {
    const waiting = held.get(kind);
    if (waiting) {
      Object.assign(waiting, { last: what, count: waiting.count + 1 });
      return;
    }
    write(what, 1);
    hold(kind);
  };
};
