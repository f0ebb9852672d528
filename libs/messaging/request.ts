import type { z } from 'zod';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { requestContext, inRequestContext } from '#libs/runtime/request-context.ts';
import type { ReplyRouter } from './reply-router.ts';

type Publish = <N extends EventName>(name: N, data: EventData<N>) => Promise<void>;

/** Publishes a fact and waits for what becomes of it, at most `waitMs`; undefined when nobody said in time. */
export type Request = <N extends EventName, S extends z.ZodType>(
  name: N,
  data: EventData<N>,
  outcome: { schema: S; waitMs: number },
) => Promise<z.output<S> | undefined>;

interface AskOptions {
  readonly publish: Publish;
  readonly replies: ReplyRouter;
  readonly clock: Clock;
}

/** A caller may wait for an outcome, but the work never depends on the caller (architecture, idea C). Rejects when the log does not take the fact. */
export const createRequest =
  ({ publish, replies, clock }: AskOptions): Request =>
  async (name, data, { schema, waitMs }) => {
    const deadlineMs = clock() + waitMs;
    const { replyTo, outcome } = replies.expect(deadlineMs);
    const requestId = requestContext()?.requestId ?? replyTo;
    await inRequestContext({ requestId, replyTo, deadlineMs }, () => publish(name, data));
    const told = await outcome;
    return told === undefined ? undefined : schema.parse(told);
  };
