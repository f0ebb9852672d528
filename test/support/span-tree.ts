import type { KeptSpan } from '../../deploy/local/observe/spans.ts';

interface Trace {
  readonly spans: readonly KeptSpan[];
  /** All spans there are, to which links lead. */
  readonly all: ReadonlyMap<string, KeptSpan>;
}

/** By service and name: which of two that run side by side begins first is chance. */
const nameOf = ({ service, name }: KeptSpan): string => `${service}: ${name}`;

const rootOf = (span: KeptSpan, { all }: Trace): KeptSpan => {
  const parent = span.parentSpanId === undefined ? undefined : all.get(span.parentSpanId);
  return parent === undefined ? span : rootOf(parent, { all, spans: [] });
};

const linksOf = (span: KeptSpan, trace: Trace): string => {
  const to = span.links.flatMap(({ spanId }) => trace.all.get(spanId) ?? []);
  const names = [...new Set(to.map((linked) => rootOf(linked, trace).name))].sort();
  return names.map((name) => ` → ${name}`).join('');
};

const linesOf = (span: KeptSpan, trace: Trace, depth: number): string[] => {
  const children = trace.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
  const lines = children
    .map((child) => linesOf(child, trace, depth + 1))
    .sort((a, b) => (a.join() < b.join() ? -1 : 1));
  return [`${'  '.repeat(depth)}${nameOf(span)}${linksOf(span, trace)}`, ...lines.flat()];
};

/** The spans of a trace as an indented list, each with the requests that it links to. */
export const spanTree = (spans: readonly KeptSpan[], everything: readonly KeptSpan[]): string[] => {
  const trace = { spans, all: new Map(everything.map((span) => [span.spanId, span])) };
  const roots = spans.filter(
    ({ parentSpanId }) => parentSpanId === undefined || !trace.all.has(parentSpanId),
  );
  return roots.flatMap((root) => linesOf(root, trace, 0));
};
