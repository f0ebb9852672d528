import { trace } from '@opentelemetry/api';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { SpanExporter, TracerProviderOptions } from '@opentelemetry/sdk-trace';
import { carryTraces } from './carry-traces.ts';

/** What our spans are made with. */
export type Spans = Required<Pick<TracerProviderOptions, 'resource' | 'sampler' | 'idGenerator'>>;

/** Of the variables of OpenTelemetry those that the exporters of OTLP over HTTP read by themselves, or that are read by us. */
const usualVariables =
  /^OTEL_(EXPORTER_OTLP_(TRACES_)?(ENDPOINT|PROTOCOL|HEADERS|TIMEOUT|COMPRESSION|CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY)|RESOURCE_ATTRIBUTES|TRACES_SAMPLER(_ARG)?)$/;

type ImportExporter = () => Promise<{ readonly OTLPTraceExporter: new () => SpanExporter }>;

const exporters = new Map<string, ImportExporter>([
  ['http/protobuf', () => import('@opentelemetry/exporter-trace-otlp-proto')],
  ['http/json', () => import('@opentelemetry/exporter-trace-otlp-http')],
]);

/** How to import the exporter of the protocol that an environment names; undefined where it asks for more than OTLP over HTTP within the SDK's usual limits. */
export const usualExporter = (
  env: Readonly<Record<string, string | undefined>>,
): ImportExporter | undefined => {
  const isUsual = Object.keys(env).every((name) => !name.startsWith('OTEL_') || usualVariables.test(name));
  const named = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
  // A blank variable counts as none, as in the SDK.
  const protocol = named.map((name) => env[name]?.trim()).find(Boolean) ?? 'http/protobuf';
  return isUsual ? exporters.get(protocol) : undefined;
};

/** Sends spans in batches, as the whole SDK would. */
export const sendOverHttp = (exporter: SpanExporter, spans: Spans): TracerProvider => {
  const provider = new TracerProvider({ ...spans, spanProcessors: [new BatchSpanProcessor({ exporter })] });
  carryTraces();
  trace.setGlobalTracerProvider(provider);
  return provider;
};
