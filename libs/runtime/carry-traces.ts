import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/** What runs behind the spans; `shutdown` sends what is left, within three seconds. */
export interface Tracing {
  shutdown(): Promise<void>;
}

/** From here on traces go along with what is awaited, and in W3C headers from one process to the next. */
export const carryTraces = (): void => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
};
