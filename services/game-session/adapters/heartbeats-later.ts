import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { createPublishLater } from '#libs/messaging/publish-later.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Ports } from '../ports.ts';

interface HeartbeatsOptions {
  readonly publisher: Publisher;
  readonly pending: Pick<Ports['pending'], 'add'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the log may take, in ms. */
  readonly timeoutMs: number;
}

/** Heartbeats for whose renewal nobody waits (D-62); those that the log does not take are left pending (D-23). */
export const heartbeatsLater = ({ publisher, pending, clock, log, timeoutMs }: HeartbeatsOptions) =>
  createPublishLater({
    ...{ name: 'game-session.heartbeat' as const, timeoutMs, clock, log },
    ...{ gather: publisher.gather, partitionOf: publisher.partitionOf },
    onRefused: pending.add,
  });
