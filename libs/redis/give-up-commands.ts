import type { Command, Redis } from 'ioredis';

/** How long a command may take. */
export const commandTimeoutMs = 500;
/** How often we look at what waits: a busy stretch is known to that much. */
const lookEveryMs = 100;
/** A timer that fires so much too late was held up by our own work. */
const heldUpFromMs = 50;

/** Of so many commands, or twice as many as had no answer, those that have one are forgotten: what is kept longer is collected late (D-64). */
const keptAtLeast = 16;

/** A monotonic clock in ms, a timer that keeps no process alive, and what is done when the sockets have been read; tests pass their own. */
export interface Timers {
  now(): number;
  later(work: () => void, ms: number): void;
  whenSocketsAreRead(work: () => void): void;
}

const realTimers: Timers = {
  now: () => performance.now(),
  later: (work, ms) => void setTimeout(work, ms).unref(),
  whenSocketsAreRead: setImmediate,
};

interface Sent {
  readonly command: Command;
  /** In ms of the process's monotonic clock. */
  readonly lastDueAt: number;
  dueAt: number;
}

/** Time in which we could neither send nor listen is none of Redis' silence; each command is excused so much in all. */
const excuse = (sent: readonly Sent[], heldUpMs: number): void => {
  if (heldUpMs < heldUpFromMs) return;
  for (const each of sent) each.dueAt = Math.min(each.lastDueAt, each.dueAt + heldUpMs);
};

/** Rejects what is due and has no answer; returns what is not due yet. */
const giveUp = (sent: readonly Sent[], now: number): Sent[] => {
  const isDue = ({ dueAt }: Sent): boolean => dueAt <= now;
  for (const { command } of sent.filter(isDue))
    if (!command.isSettled) command.reject(new Error('Redis did not answer within half a second'));
  return sent.filter((each) => !isDue(each) && !each.command.isSettled);
};

/**
 * Rejects every command that is not answered within half a second, without up to half a second in which our event loop was busy. ioredis'
 * own `commandTimeout` also rejects those whose answers lie in the socket while our event loop was busy, because timers come before sockets:
 * under load it fails what Redis has done. Here the sockets are read once more before a command is given up, and one timer serves all.
 */
export const giveUpCommands = (client: Redis, timers = realTimers): void => {
  const send = client.sendCommand.bind(client);
  let sent: Sent[] = [];
  let mostKept = keptAtLeast;
  let isWaiting = false;
  const wait = (): void => {
    const [oldest] = sent;
    isWaiting = oldest !== undefined;
    if (oldest === undefined) return;
    const now = timers.now();
    const lookAt = Math.max(now + 1, Math.min(oldest.dueAt, now + lookEveryMs));
    timers.later(() => {
      const looked = timers.now();
      excuse(sent, looked - lookAt);
      timers.whenSocketsAreRead(() => check(looked));
    }, lookAt - now);
  };
  const check = (looked: number): void => {
    // What was sent since we looked may have been held up since.
    excuse(sent, timers.now() - looked);
    keep(giveUp(sent, timers.now()));
    wait();
  };
  const keep = (unanswered: Sent[]): void => {
    sent = unanswered;
    mostKept = Math.max(keptAtLeast, 2 * unanswered.length);
  };
  client.sendCommand = (command, stream) => {
    const dueAt = timers.now() + commandTimeoutMs;
    if (sent.length >= mostKept) keep(sent.filter((each) => !each.command.isSettled));
    sent.push({ command, dueAt, lastDueAt: dueAt + commandTimeoutMs });
    if (!isWaiting) wait();
    return send(command, stream);
  };
};
