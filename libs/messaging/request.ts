import type { Publish } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { EventData, Reply, RequestName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import type { ReplyRouter } from './reply-router.ts';

/**
 * Publishes an event and waits for its reply, at most `waitMs`; undefined when none came in time. The caller waits for an outcome, but the
 * work never depends on the caller: it goes on when he has left. Rejects UNAVAILABLE when the log does not take the event.
 */
export type Request = <N extends RequestName>(
  name: N,
  data: EventData<N>,
  options: { readonly waitMs: number },
) => Promise<Reply<N> | undefined>;

interface RequestOptions {
  readonly publish: Publish;
  readonly replies: ReplyRouter;
  readonly clock: Clock;
}

/** Requests over the log, whose replies come through the router. */
export const createRequest =
  ({ publish, replies, clock }: RequestOptions): Request =>
  async <N extends RequestName>(name: N, data: EventData<N>, { waitMs }: { waitMs: number }) => {
    const deadlineMs = clock() + waitMs;
    const known = currentRequestId();
    const { replyTo, outcome } = replies.expect(deadlineMs, known);
    const requestId = known ?? replyTo;
    await publish(name, data, { request: { requestId, replyTo, deadlineMs } });
    const reply = await outcome;
    return reply === undefined ? undefined : (events[name].reply.parse(reply) as Reply<N>);
  };
