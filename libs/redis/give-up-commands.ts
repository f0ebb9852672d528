import type { Command, Redis } from 'ioredis';

const timeoutMs = 500;

interface Sent {
  readonly command: Command;
  /** In ms of the process's monotonic clock. */
  readonly dueAt: number;
}

/** Rejects what is due and has no answer; returns what is not due yet. */
const giveUp = (sent: readonly Sent[]): Sent[] => {
  const now = performance.now();
  const isDue = ({ dueAt }: Sent): boolean => dueAt <= now;
  for (const { command } of sent.filter(isDue))
    if (!command.isSettled) command.reject(new Error('Redis did not answer within half a second'));
  return sent.filter((each) => !isDue(each) && !each.command.isSettled);
};

/**
 * Rejects every command that is not answered within half a second. ioredis' own `commandTimeout` also rejects those whose answers lie in the
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
    if (oldest) setTimeout(() => setImmediate(check), Math.max(1, oldest.dueAt - performance.now())).unref();
  };
  const check = (): void => {
    sent = giveUp(sent);
    wait();
  };
  client.sendCommand = (command, stream) => {
    sent.push({ command, dueAt: performance.now() + timeoutMs });
    if (!isWaiting) wait();
    return send(command, stream);
  };
};
