import type { Command, Redis } from 'ioredis';

/** How long a command may take. */
export const commandTimeoutMs = 500;
/** How often we look at what waits: a busy stretch is known to that much. */
const lookEveryMs = 100;
/** A timer that fires so much too late was held up by our own work. */
const heldUpFromMs = 50;

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
const giveUp = (sent: readonly Sent[]): Sent[] => {
  const now = performance.now();
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
export const giveUpCommands = (client: Redis): void => {
  const send = client.sendCommand.bind(client);
  let sent: Sent[] = [];
  let isWaiting = false;
  const wait = (): void => {
    const [oldest] = sent;
    isWaiting = oldest !== undefined;
    if (oldest === undefined) return;
    const now = performance.now();
    const lookAt = Math.max(now + 1, Math.min(oldest.dueAt, now + lookEveryMs));
    setTimeout(() => {
      const looked = performance.now();
      excuse(sent, looked - lookAt);
      setImmediate(check, looked);
    }, lookAt - now).unref();
  };
  const check = (looked: number): void => {
    // What was sent since we looked may have been held up since.
    excuse(sent, performance.now() - looked);
    sent = giveUp(sent);
    wait();
  };
  client.sendCommand = (command, stream) => {
    const dueAt = performance.now() + commandTimeoutMs;
    sent.push({ command, dueAt, lastDueAt: dueAt + commandTimeoutMs });
    if (!isWaiting) wait();
    return send(command, stream);
  };
};
