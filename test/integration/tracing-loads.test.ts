import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** Prints the packages of OpenTelemetry that a process loads. */
const hooks = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve: (name, context, next) => {
      if (name.startsWith('@opentelemetry/')) console.log(name);
      return next(name, context);
    },
  });`;
const program = `
  import { startTracing } from '#libs/runtime/tracing.ts';
  await startTracing({ service: 'ott', instance: 'ott-1', otlpEndpoint: 'http://127.0.0.1:9' });
  process.exit(0);`;

const loaded = async (env: Record<string, string>): Promise<string[]> => {
  const withHooks = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`];
  const child = spawn(process.execPath, [...withHooks, '--input-type=module-typescript', '-e', program], {
    cwd: resolve(import.meta.dirname, '../..'),
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (await text(child.stdout)).split('\n').filter((name) => /sdk-node|exporter-trace/.test(name));
};

test.each([
  ['OTLP as the chart says it', { OTEL_RESOURCE_ATTRIBUTES: 'a=b', OTEL_TRACES_SAMPLER_ARG: '0.1' }, 'proto'],
  ['OTLP without a word on its protocol', { OTEL_EXPORTER_OTLP_PROTOCOL: '' }, 'proto'],
  ['OTLP in JSON', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http'],
  ['OTLP of traces in JSON', { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }, 'http'],
])('%s loads one exporter, and not the whole SDK', async (_, env, exporter) =>
  expect(await loaded(env)).toEqual([`@opentelemetry/exporter-trace-otlp-${exporter}`]),
);

test.each([
  ['gRPC', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  [
    'gRPC beside a blank one of traces',
    { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: '', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  ],
  ['a protocol that is none', { OTEL_EXPORTER_OTLP_PROTOCOL: 'constructor' }],
  ['another exporter', { OTEL_TRACES_EXPORTER: 'console' }],
  ['another pace', { OTEL_BSP_SCHEDULE_DELAY: '50' }],
])('%s is left to the whole SDK', async (_, env) =>
  expect(await loaded(env)).toContain('@opentelemetry/sdk-node'),
);
