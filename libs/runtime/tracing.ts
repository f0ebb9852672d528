import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  context,
  propagation,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, SpanContext } from '@opentelemetry/api';
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { carryTraces } from './carry-traces.ts';
import type { Tracing } from './carry-traces.ts';
import type { Log } from './log.ts';

/** The service and replica that spans are from, and where OTLP sends them; without an endpoint they are dropped. */
export interface TracingOptions {
  readonly service: string;
  readonly instance: string;
  readonly otlpEndpoint?: string | undefined;
  /** The share of traces that is kept, all of them by default. */
  readonly ratio?: number;
  /** Where it is said, once a minute, that spans could not be sent. */
  readonly log?: Pick<Log, 'warn'>;
}

/** Starts tracing: contexts, real trace ids and W3C headers always; spans are recorded, and what sends them is loaded, only where they can be sent. */
export const startTracing = async ({
  service,
  instance,
  otlpEndpoint,
  ratio = 1,
  log,
}: TracingOptions): Promise<Tracing> => {
  if (otlpEndpoint !== undefined) {
    const { startExport } = await import('./tracing-export.ts');
    return startExport({ service, instance, ratio, log });
  }
  carryTraces();
  const provider = new TracerProvider({ sampler: new AlwaysOffSampler() });
  trace.setGlobalTracerProvider(provider);
  return { shutdown: () => provider.shutdown() };
};

/** A span's kind (internal by default), attributes, links and parent context (the active one by default). */
export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: Link[];
  readonly parent?: Context;
}

const tracer = () => trace.getTracer('gsb');

const recordError = (span: Span, error: unknown): void => {
  const name = error instanceof Error ? error.name : typeof error;
  span.setAttribute('error.type', name);
  span.setStatus({ code: SpanStatusCode.ERROR, message: name });
};

const isKept = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

/** Whether the trace that a traceparent names is kept, by its flags. */
export const isKeptTrace = (traceparent: string | null | undefined): boolean =>
  (Number.parseInt(traceparent?.slice(-1) ?? '0', 16) & TraceFlags.SAMPLED) !== 0;

/** Whether a trace has been decided not to be kept. */
const isDropped = (within: Span | undefined): within is Span =>
  within !== undefined && !within.isRecording() && !isKept(within.spanContext());

/** The span that the running code belongs to, where its trace is kept. */
export const keptSpan = (): SpanContext | undefined => {
  const running = trace.getActiveSpan()?.spanContext();
  return running && isKept(running) ? running : undefined;
};

/**
 * Runs `fn` inside a new span and ends it; a throw marks it as failed with the error's name only, and goes on to the caller. In a trace that
 * is not kept there are no new spans: they would cost, and tell nobody anything.
 */
export const inSpan = <T>(name: string, options: SpanOptions, fn: (span: Span) => Promise<T>): Promise<T> => {
  const { kind = SpanKind.INTERNAL, attributes = {}, links = [], parent = context.active() } = options;
  const within = trace.getSpan(parent);
  if (isDropped(within))
    return parent === context.active() ? fn(within) : context.with(parent, () => fn(within));
  return tracer().startActiveSpan(name, { kind, attributes, links }, parent, async (span) => {
    try {
      return await fn(span);
    } catch (error) {
      recordError(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
};

/** The active trace as headers: traceparent and, if there is one, tracestate. Empty outside a span. */
export const injectTrace = (): Record<string, string> => {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
};

/** As `injectTrace`, where the trace is kept: for messages of many, whose headers cost more than they tell. */
export const injectKeptTrace = (): Record<string, string> => (keptSpan() === undefined ? {} : injectTrace());

/** The active trace as a record keeps it for what comes minutes later; null where the trace is not kept. */
export const keptTraceparent = (): string | null => injectKeptTrace()['traceparent'] ?? null;

/** Links the running span to the earlier one that a record names, if it is recorded. */
export const linkRunning = (traceparent: string | null): void => {
  const running = trace.getActiveSpan();
  if (traceparent === null || running?.isRecording() !== true) return;
  running.addLinks(linkTo({ traceparent }));
};

/** A link to the span that headers name, if they name one; with other flags where they are given. */
export const linkTo = (headers: Parameters<typeof extractTrace>[0], flags?: TraceFlags): Link[] => {
  const named = trace.getSpanContext(extractTrace(headers));
  if (named === undefined) return [];
  return [{ context: flags === undefined ? named : { ...named, traceFlags: flags } }];
};

/** A trace from outside begins anew, so that no caller decides what is kept of ours: the trace that he names becomes a link (D-44). */
export const callersLink = (headers: Parameters<typeof extractTrace>[0]): Link[] =>
  linkTo(headers, TraceFlags.NONE);

/** The context that a caller's headers describe, on top of another one; without a trace where they describe none. Malformed headers are ignored. */
export const extractTrace = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
  base: Context = ROOT_CONTEXT,
): Context => propagation.extract(base, headers);
