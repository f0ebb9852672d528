import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { withDeadline } from './wait.ts';
import type { Tracing } from './tracing.ts';

interface Exporting {
  readonly service: string;
  readonly instance: string;
  readonly shutdownDeadlineMs: number;
}

/** Spans by OTLP to where the OTEL_* variables say, in batches; a full queue drops spans and never slows a request. */
export const startExport = ({ service, instance, shutdownDeadlineMs }: Exporting): Tracing => {
  const sdk = new NodeSDK({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.instance.id': instance,
      'service.namespace': 'gsb',
    }),
    textMapPropagator: new W3CTraceContextPropagator(),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
    autoDetectResources: false,
  });
  sdk.start();
  const late = (): Error => new Error('the last spans could not be sent in time');
  return { shutdown: () => withDeadline(sdk.shutdown(), shutdownDeadlineMs, late) };
};
