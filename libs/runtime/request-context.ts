import { context, createContextKey } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';

const key = createContextKey('gsb.request-id');

/** The id of the request that the running code works for, if any: for logs and the headers of events, never a part of the work. */
export const currentRequestId = (): string | undefined =>
  context.active().getValue(key) as string | undefined;

/** The active context, or another one, with a request id in it where there is one. */
export const withRequestId = (requestId: string | undefined, parent: Context = context.active()): Context =>
  requestId === undefined ? parent : parent.setValue(key, requestId);
