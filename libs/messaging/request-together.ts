import { ROOT_CONTEXT, context } from '@opentelemetry/api';
import type { Outgoing, PublishAll, Sealed } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { Reply, RequestName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { inOneCall } from '#libs/runtime/in-one-call.ts';
import { currentRequestId } from '#libs/runtime/request-context.ts';
import { injectKeptTrace } from '#libs/runtime/tracing.ts';
import type { ReplyRouter } from './reply-router.ts';

/** As `Request`, of an event that comes in bundles: those of one turn of the event loop and one partition are published together (D-39). */
export type RequestTogether = <N extends RequestName>(
  name: N,
  data: Sealed,
  options: { readonly waitMs: number },
) => Promise<Reply<N> | undefined>;

interface TogetherOptions {
  readonly publishAll: PublishAll;
  /** Events of other partitions do not wait for each other: their brokers may be away. */
  readonly partitionOf: (name: RequestName, key: string) => number | undefined;
  readonly replies: ReplyRouter;
  readonly clock: Clock;
}

/** A request, for whose event its publisher has so much time. */
interface Asked {
  readonly name: RequestName;
  readonly event: Outgoing<RequestName>;
  readonly timeoutMs: number;
}

/** Requests of one turn. The traces of those who ask go with their events; publishing belongs to none of them. */
export const createRequestTogether = ({
  publishAll,
  partitionOf,
  replies,
  clock,
}: TogetherOptions): RequestTogether => {
  const publish = inOneCall(Infinity, async (_place, asked: readonly Asked[]) => {
    const [{ name, timeoutMs }] = asked as [Asked];
    const all = asked.map(({ event }) => event);
    await context.with(ROOT_CONTEXT, () => publishAll(name, all, { timeoutMs }));
    return all;
  });
  return async <N extends RequestName>(name: N, data: Sealed, { waitMs }: { waitMs: number }) => {
    const deadlineMs = clock() + waitMs;
    const known = currentRequestId();
    const { replyTo, outcome } = replies.expect(deadlineMs, known);
    const request = { requestId: known ?? replyTo, replyTo, deadlineMs };
    const event = { data, request, trace: injectKeptTrace() };
    await publish(`${name} ${partitionOf(name, data.key)}`, { name, event, timeoutMs: waitMs });
    const reply = await outcome;
    return reply === undefined ? undefined : (events[name].reply.parse(reply) as Reply<N>);
  };
};
