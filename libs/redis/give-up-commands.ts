import type { Command, Redis } from 'ioredis';

const timeoutMs = 500;
/** A timer that fires so much too late was held up by our own work. */
const heldUpFromMs = 50;

interface Sent {
  readonly command: Command;
  /** In ms of the process's monotonic clock. */
  dueAt: number;
  isExcused: boolean;
}

/** Time in which we could neither send nor listen is none of Redis' silence; each command is excused once. */
const excuse = (sent: readonly Sent[], heldUpMs: number): void => {
  if (heldUpMs < heldUpFromMs) return;
  for (const each of sent.filter(({ isExcused }) => !isExcused)) {
    each.dueAt += Math.min(heldUpMs, timeoutMs);
    each.isExcused = true;
  }
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
 * Rejects every command that is not answered within half a second, without up to half a second in which our event loop was busy. ioredis' own `commandTimeout` also rejects those whose answers lie in the
 * socket while our event loop was busy, because timers come before sockets: under load it fails what Redis has done. Here the sockets are
 * read once more before a command is given up, and one timer serves all commands.
 */
export const giveUpCommands = (client: Redis): void => {
  const send = client.sendCommand.bind(client);
  let sent: Sent[] = [];
  let isWaiting = false;
  const wait = (): void => {
    const [oldest] = sent;
    isWaiting = oldest !== undefined;
    if (oldest === undefined) return;
    const dueAt = Math.max(oldest.dueAt, performance.now() + 1);
    setTimeout(() => {
      excuse(sent, performance.now() - dueAt);
      setImmediate(check);
    }, dueAt - performance.now()).unref();
  };
  const check = (): void => {
    sent = giveUp(sent);
    wait();
  };
  client.sendCommand = (command, stream) => {
    sent.push({ command, dueAt: performance.now() + timeoutMs, isExcused: false });
    if (!isWaiting) wait();
    return send(command, stream);
  };
};
