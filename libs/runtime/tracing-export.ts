import { W3CTraceContextPropagator, setGlobalErrorHandler } from '@opentelemetry/core';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { Tracing } from './carry-traces.ts';
import { edgeSampler } from './edge-sampler.ts';
import { spanIds } from './late-spans.ts';
import type { Log } from './log.ts';
import { sendOverHttp, usualExporter } from './otlp-over-http.ts';
import type { Spans } from './otlp-over-http.ts';
import { onceAMinute } from './once-a-minute.ts';
import { withDeadline } from './wait.ts';

const shutdownDeadlineMs = 3_000;

interface ExportOptions {
  readonly service: string;
  readonly instance: string;
  /** The share of traces that is kept. */
  readonly ratio: number;
  readonly log?: Pick<Log, 'warn'> | undefined;
}

/** What OTEL_RESOURCE_ATTRIBUTES says (environment, version, pod), and who we are, which it cannot change. */
const resourceOf = ({ service, instance }: ExportOptions) =>
  detectResources({ detectors: [resourceAttributesEnvDetector] }).merge(
    resourceFromAttributes({
      'service.name': service,
      'service.instance.id': instance,
      'service.namespace': 'gsb',
    }),
  );

/** With every exporter there is (gRPC, Zipkin, the console) and all that the SDK reads of the environment. */
const startSdk = async (spans: Spans): Promise<Tracing> => {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({
    ...spans,
    textMapPropagator: new W3CTraceContextPropagator(),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
    autoDetectResources: false,
  });
  sdk.start();
  return sdk;
};

/**
 * Exports spans by OTLP as the OTEL_* variables say, in batches; a full queue drops spans and never slows a request. The whole SDK takes 18 MB
 * more than those parts of it that send by OTLP over HTTP, so it is loaded only where a variable asks for something else.
 */
export const startExport = async (options: ExportOptions): Promise<Tracing> => {
  const spans = {
    resource: resourceOf(options),
    sampler: edgeSampler(options.ratio),
    idGenerator: spanIds,
  };
  const importExporter = usualExporter(process.env);
  const sending = importExporter
    ? sendOverHttp(new (await importExporter()).OTLPTraceExporter(), spans)
    : await startSdk(spans);
  const note = onceAMinute<unknown>((error, count) =>
    options.log?.warn({ error, count }, 'spans could not be sent, and are lost'),
  );
  setGlobalErrorHandler((error) => note('lost', error));
  const tooLate = (): Error => new Error('the last spans could not be sent in time');
  return { shutdown: () => withDeadline(sending.shutdown(), shutdownDeadlineMs, tooLate) };
};
