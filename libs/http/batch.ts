import type { z } from 'zod';
import type { Data, Endpoint } from '#libs/contracts/endpoint.ts';
import { Refusal, asRefusal, errors } from '#libs/contracts/errors.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { Log } from '#libs/runtime/log.ts';
import { noteUnavailable } from './note-unavailable.ts';
import { parseOrRefuse } from './route.ts';
import type { Call } from './route.ts';

type UseCase<E extends Endpoint, Caller> = (call: Call<E, Caller>) => Promise<Data<E>>;

/** A batch, as `batchOf` parses it. */
interface BatchCall<Caller> extends Pick<Call<Endpoint, Caller>, 'caller' | 'incoming'> {
  readonly body: { readonly sessions: { readonly gameSessionId: string }[] };
}

const parsed = <S extends z.ZodType>(schema: S, item: unknown) =>
  parseOrRefuse(() => fromWire(schema, toWire(item)));

/** What the single call would be answered instead of data. */
const refusalOf = (reason: unknown) => {
  const { code, message, details } = asRefusal(reason);
  const { retryAfterSec } = details;
  const error = { code, message, ...(retryAfterSec !== undefined && { retryAfterSec }) };
  return { status: errors[code].status, error };
};

/** Says what items failed with: what is no Refusal is a bug, and a 503 is told as one of a single call. */
const noteFailed = (single: Pick<Endpoint, 'path'>, log: Log) => {
  const noteCause = noteUnavailable(log, 'items of batches were answered 503');
  return (reason: unknown): void => {
    if (!(reason instanceof Refusal)) log.error({ error: reason }, 'an item of a batch failed');
    noteCause(single.path, reason);
  };
};

/**
 * A batch of the calls of `single`: each item is answered with what `useCase` would answer alone, in order. All begin in the same turn
 * of the event loop, so that their commands to Redis leave together and their events share messages. A bug is INTERNAL for its item alone (D-41).
 */
export const inBatches = <E extends Endpoint & { readonly body: z.ZodType }, Caller>(
  single: E,
  useCase: UseCase<E, Caller>,
  log: Log,
) => {
  const note = noteFailed(single, log);
  return async ({ body, caller, incoming }: BatchCall<Caller>) => {
    const answer = async (item: unknown) => {
      const call = { caller, incoming, body: parsed(single.body, item), params: undefined, query: undefined };
      return useCase(call as unknown as Call<E, Caller>);
    };
    const settled = await Promise.allSettled(body.sessions.map(answer));
    for (const each of settled) if (each.status === 'rejected') note(each.reason);
    const results = settled.map((each, index) => ({
      gameSessionId: body.sessions[index]?.gameSessionId ?? '',
      ...(each.status === 'rejected' ? refusalOf(each.reason) : { status: 200 as const, data: each.value }),
    }));
    return { results };
  };
};
