import { collectOldSeldom } from './collections.ts';
import { eventLoop } from './event-loop.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { createSecurityEvents } from './security-events.ts';
import type { NoteSecurity } from './security-events.ts';
import { runService } from './service.ts';
import type { Component } from './service.ts';
import { spareMemory } from './spare-memory.ts';
import { drainOf } from './settings.ts';
import type { opsSettings } from './settings.ts';
import { startTracing } from './tracing.ts';
import type { z } from 'zod';

type OpsConfig = z.output<z.ZodObject<typeof opsSettings>>;

/** What a service is given to build its components with. */
export interface ProcessContext {
  /** The service's name. */
  readonly service: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly instance: string;
  /** Notes security events (D-47). */
  readonly security: NoteSecurity;
}

/** Starts a service: log, metrics and tracing first, then the components that `connect` returns, in their order. */
export const startProcess = async (
  name: string,
  config: OpsConfig,
  connect: (context: ProcessContext) => readonly Component[],
): Promise<void> => {
  collectOldSeldom();
  const instance = config.INSTANCE_ID;
  const log = createLog({ service: name, instance, level: config.LOG_LEVEL });
  const metrics = createMetrics(name);
  const security = createSecurityEvents({ log, metrics });
  const tracing = await startTracing({
    service: name,
    instance,
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  });
  const traces: Component = {
    name: 'tracing',
    flushes: true,
    start: async () => undefined,
    stop: () => tracing.shutdown(),
  };
  const ops = { host: config.BIND_HOST, port: config.OPS_PORT };
  await runService({
    name,
    log,
    metrics,
    ops,
    drain: drainOf(config),
    parts: [
      traces,
      security,
      eventLoop(),
      spareMemory(log),
      ...connect({ service: name, log, metrics, instance, security: security.note }),
    ],
  });
};
