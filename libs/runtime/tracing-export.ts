import { W3CTraceContextPropagator, setGlobalErrorHandler } from '@opentelemetry/core';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { edgeSampler } from './edge-sampler.ts';
import { spanIds } from './late-spans.ts';
import type { Log } from './log.ts';
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

/** Exports spans by OTLP as the OTEL_* variables say, in batches; a full queue drops spans and never slows a request. */
export const startExport = (options: ExportOptions) => {
  const sdk = new NodeSDK({
    resource: resourceOf(options),
    sampler: edgeSampler(options.ratio),
    idGenerator: spanIds,
    textMapPropagator: new W3CTraceContextPropagator(),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
    autoDetectResources: false,
  });
  sdk.start();
  const note = onceAMinute<unknown>((error, count) =>
    options.log?.warn({ error, count }, 'spans could not be sent, and are lost'),
  );
  setGlobalErrorHandler((error) => note('lost', error));
  const tooLate = (): Error => new Error('the last spans could not be sent in time');
  return { shutdown: () => withDeadline(sdk.shutdown(), shutdownDeadlineMs, tooLate) };
};
