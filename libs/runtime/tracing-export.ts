import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { withDeadline } from './wait.ts';

const shutdownDeadlineMs = 3_000;

/** Exports spans by OTLP as the OTEL_* variables say, in batches; a full queue drops spans and never slows a request. */
export const startExport = ({ service, instance }: Readonly<Record<'service' | 'instance', string>>) => {
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
  const tooLate = (): Error => new Error('the last spans could not be sent in time');
  return { shutdown: () => withDeadline(sdk.shutdown(), shutdownDeadlineMs, tooLate) };
};
