import type { KeptSpan } from './spans.ts';

const maxSpans = 50_000;

/** One trace in a list. */
export interface TraceSummary {
  readonly traceId: string;
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly spans: number;
  readonly services: readonly string[];
  readonly isError: boolean;
}

const summaryOf = (spans: readonly KeptSpan[]): TraceSummary => {
  const sorted = [...spans].sort((one, other) => one.startMs - other.startMs);
  const root = sorted.find(({ parentSpanId }) => parentSpanId === undefined) ?? sorted[0];
  const startMs = sorted[0]?.startMs ?? 0;
  return {
    ...{ traceId: root?.traceId ?? '', name: root?.name ?? '', startMs, spans: spans.length },
    durationMs: Math.max(...spans.map(({ endMs }) => endMs)) - startMs,
    services: [...new Set(sorted.map(({ service }) => service))],
    isError: spans.some(({ isError }) => isError),
  };
};

/** What is looked for: a span that names a text in an attribute, its name or service, took so long, or failed. */
export interface SpanQuery {
  readonly text?: string;
  readonly minMs?: number;
  readonly isError?: boolean;
}

const isAsked =
  ({ text = '', minMs = 0, isError = false }: SpanQuery) =>
  (span: KeptSpan): boolean => {
    const { attributes, name, service } = span;
    const isNamed =
      text === '' || [...Object.values(attributes), name, service].some((value) => value.includes(text));
    return isNamed && span.endMs - span.startMs >= minMs && (!isError || span.isError);
  };

/** Keeps the newest 50,000 spans in memory, by trace. */
export const createTraceStore = () => {
  const traces = new Map<string, KeptSpan[]>();
  let count = 0;
  const forgetOldest = (): void => {
    for (const [traceId, spans] of traces) {
      if (count <= maxSpans) return;
      traces.delete(traceId);
      count -= spans.length;
    }
  };
  return {
    add: (spans: readonly KeptSpan[]): void => {
      for (const span of spans) {
        const known = traces.get(span.traceId);
        if (known) known.push(span);
        else traces.set(span.traceId, [span]);
      }
      count += spans.length;
      forgetOldest();
    },
    trace: (traceId: string): readonly KeptSpan[] => traces.get(traceId) ?? [],
    /** The traces with a span that is as asked; the newest first. */
    list: (asked: SpanQuery = {}, limit = 100): TraceSummary[] => {
      const found = [...traces.values()].reverse().filter((spans) => spans.some(isAsked(asked)));
      return found.slice(0, limit).map(summaryOf);
    },
  };
};

/** A store of traces. */
export type TraceStore = ReturnType<typeof createTraceStore>;
