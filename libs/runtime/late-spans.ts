import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Link, SpanContext, SpanKind } from '@opentelemetry/api';
import { RandomIdGenerator } from '@opentelemetry/sdk-trace';
import type { IdGenerator } from '@opentelemetry/sdk-trace';

/** The attribute by which the sampler knows a span that is kept although its trace is not. */
export const keptBecause = 'gsb.kept_because';
/** In an outage every request fails, and the first hundred of a second tell as much as all. */
const maxPerSec = 100;

/** A span as it would have been recorded; `startedAtMs` since the epoch. */
export interface LateSpan {
  readonly because: 'failed' | 'slow';
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly links: Link[];
  readonly startedAtMs: number;
}

const random = new RandomIdGenerator();
let given: SpanContext | undefined;

/** Random ids, and those of the dropped span for the late one, so that the lines of the log lead to it. */
export const spanIds: IdGenerator = {
  generateTraceId: () => given?.traceId ?? random.generateTraceId(),
  generateSpanId: () => given?.spanId ?? random.generateSpanId(),
};

const createBudget = () => {
  const window = { sec: 0, made: 0 };
  return (nowMs: number): boolean => {
    const sec = Math.floor(nowMs / 1000);
    if (sec !== window.sec) Object.assign(window, { sec, made: 0 });
    window.made += 1;
    return window.made <= maxPerSec;
  };
};
const hasRoom = createBudget();

/**
 * Records the first span of a trace that was not kept, when its request is over and turns out to be worth it: whether it is cannot be known
 * before, and recording every span only to throw it away would cost each heartbeat. At most a hundred a second (D-52).
 */
export const keepAfterAll = (
  dropped: SpanContext,
  { because, name, kind, attributes, links, startedAtMs }: LateSpan,
): void => {
  if (!hasRoom(performance.now())) return;
  given = dropped;
  try {
    const told = { ...attributes, [keptBecause]: because };
    const options = { kind, links, attributes: told, startTime: startedAtMs };
    const span = trace.getTracer('gsb').startSpan(name, options, ROOT_CONTEXT);
    if (because === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  } finally {
    given = undefined;
  }
};
