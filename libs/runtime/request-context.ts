import { context, createContextKey } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';

const key = createContextKey('gsb.request-id');

/** The id of the request that the running code works for, if any: for logs and the headers of events, never a part of the work. */
export const currentRequestId = (): string | undefined =>
  context.active().getValue(key) as string | undefined;

/** The active context, or another one, with a request id in it. */
export const withRequestId = (requestId: string, parent: Context = context.active()): Context =>
  parent.setValue(key, requestId);
