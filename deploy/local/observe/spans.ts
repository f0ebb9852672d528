import { z } from 'zod';

const value = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.string(), z.number()]).optional(),
  boolValue: z.boolean().optional(),
  doubleValue: z.number().optional(),
});
const attributes = z.array(z.object({ key: z.string(), value })).default([]);
const nanoseconds = z.union([z.string(), z.number()]);
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number().default(1),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.object({ code: z.number().default(0), message: z.string().optional() }).default({ code: 0 }),
});

/** The body of an export by OTLP over HTTP, as JSON. */
const exported = z.object({
  resourceSpans: z
    .array(
      z.object({
        resource: z.object({ attributes }).default({ attributes: [] }),
        scopeSpans: z.array(z.object({ spans: z.array(span).default([]) })).default([]),
      }),
    )
    .default([]),
});

/** A span as it is kept: its service, and instants in ms since the epoch. */
export interface KeptSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly service: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

const textOf = (given: z.output<typeof value>): string =>
  String(Object.values(given).find((each) => each !== undefined) ?? '');
const record = (list: z.output<typeof attributes>): Record<string, string> =>
  Object.fromEntries(list.map(({ key, value: given }) => [key, textOf(given)]));
const msOf = (nanos: string | number): number => Number(BigInt(nanos) / 1_000n) / 1_000;

const kept = ({ attributes: own, ...each }: z.output<typeof span>, service: string): KeptSpan => ({
  ...{ traceId: each.traceId, spanId: each.spanId, parentSpanId: each.parentSpanId || undefined },
  ...{ name: each.name, kind: each.kind, service, links: each.links, attributes: record(own) },
  ...{ startMs: msOf(each.startTimeUnixNano), endMs: msOf(each.endTimeUnixNano) },
  isError: each.status.code === 2,
});

/** The spans of one export. Throws ZodError, or SyntaxError, for what is no export. */
export const spansIn = (body: string): KeptSpan[] =>
  exported.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = record(resource.attributes)['service.name'] ?? '?';
    return scopeSpans.flatMap(({ spans }) => spans.map((each) => kept(each, service)));
  });
