import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { runService } from '#libs/runtime/service.ts';
import type { Fatal, Component, ServiceOptions } from '#libs/runtime/service.ts';
import { sleep } from '#libs/runtime/wait.ts';
import { until } from '../../../support/eventually.ts';

const metrics = createMetrics('test');
const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);

/** Components that record what happens to them. */
const diary = () => {
  const entries: string[] = [];
  const part = (name: string, own: Partial<Component> = {}): Component => ({
    name,
    start: async () => void entries.push(`start ${name}`),
    stop: async () => void entries.push(`stop ${name}`),
    ...own,
  });
  return { entries, part };
};

const run = (parts: Component[], more: Partial<ServiceOptions> = {}) =>
  runService({ name: 'test', log, metrics, ops: { host: '127.0.0.1', port: 0 }, parts, ...more });

const ask = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return [response.status, await response.text()] as const;
};

const statusOf = async (port: number, path: string) => (await ask(port, path))[0];

test('parts start in their order and stop in reverse', async () => {
  const { entries, part } = diary();

  const service = await run([part('store'), part('log'), part('http')]);
  await service.stop();

  expect(entries).toEqual(['start store', 'start log', 'start http', 'stop http', 'stop log', 'stop store']);
});

test('when a part does not start, those before it and itself are stopped', async () => {
  const { entries, part } = diary();
  const failing = part('log', { start: () => Promise.reject(new Error('no log')) });

  await expect(run([part('store'), failing, part('http')])).rejects.toThrow('no log');

  expect(entries).toEqual(['start store', 'stop log', 'stop store']);
});

test('a part that hangs or fails while it stops does not keep the others from stopping', async () => {
  const { entries, part } = diary();
  const hanging = part('http', { stop: () => new Promise(() => undefined) });
  const failing = part('log', { stop: () => Promise.reject(new Error('no')) });

  const service = await run([part('store'), failing, hanging], { drain: { inFlightMs: 20, flushMs: 20 } });
  await service.stop();

  expect(entries).toContain('stop store');
});

test('parts share the time of a drain, but for what a part that flushes has to send', async () => {
  const { entries, part } = diary();
  const endless = () => new Promise<void>(() => undefined);
  const slow = (name: string, ms: number) => async () => {
    await sleep(ms);
    entries.push(`stop ${name}`);
  };
  const publisher = part('publisher', { flushes: true, stop: slow('publisher', 700) });
  const parts = [
    part('store'),
    publisher,
    part('consumer', { stop: endless }),
    part('http', { stop: endless }),
  ];

  const service = await run(parts, { drain: { inFlightMs: 600, flushMs: 5_000 } });
  const started = performance.now();
  await service.stop();

  expect(entries.filter((entry) => entry.startsWith('stop'))).toEqual(['stop publisher', 'stop store']);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('a part that starts slowly, because its store is away, is waited for and named in the log', async () => {
  const { entries, part } = diary();
  const lines: string[] = [];
  const warnings = createLog({ service: 'test', instance: 'test', level: 'warn' }, (line) =>
    lines.push(line),
  );
  const store = Promise.withResolvers<undefined>();

  const starting = run([part('store', { start: () => store.promise }), part('http')], {
    log: warnings,
    reminderMs: 5,
  });
  await until(() => lines.some((line) => line.includes('"part":"store"')), 'the reminder');
  store.resolve(undefined);
  const service = await starting;
  await service.stop();

  expect(entries).toEqual(['start http', 'stop http', 'stop store']);
});

test('a part that cannot go on ends the process with 1, after the others have stopped', async () => {
  const { entries, part } = diary();
  let fatal: Fatal = () => undefined;
  const doomed = part('consumer', { start: async (report) => void (fatal = report) });

  const code = await new Promise<number>((exit) => {
    void run([part('store'), doomed], { exit }).then(() => fatal(new Error('crashed')));
  });

  expect(code).toBe(1);
  expect(entries).toEqual(['start store', 'stop consumer', 'stop store']);
});

test('the probes say what the service waits for', async () => {
  const { part } = diary();
  let full = false;

  const service = await run([part('pool', { ready: () => !full })]);

  await expect(ask(service.opsPort, '/health/startup')).resolves.toEqual([
    200,
    '{"status":"ok","waiting_for":[]}',
  ]);
  await expect(statusOf(service.opsPort, '/health/ready')).resolves.toBe(200);
  full = true;
  await expect(ask(service.opsPort, '/health/ready')).resolves.toEqual([
    503,
    '{"status":"waiting","waiting_for":["pool"]}',
  ]);
  await expect(statusOf(service.opsPort, '/health/live')).resolves.toBe(200);
  await expect(statusOf(service.opsPort, '/anything')).resolves.toBe(404);
  await service.stop();
});

test('while a part starts or stops the service is alive but not ready', async () => {
  const { part } = diary();
  const seen: number[] = [];
  let port = 0;
  const look = async () => {
    for (const probe of ['startup', 'ready', 'live']) seen.push(await statusOf(port, `/health/${probe}`));
  };
  const listening = createLog({ service: 'test', instance: 'test', level: 'info' }, (line) => {
    port = (JSON.parse(line) as { port?: number }).port ?? port;
  });

  const service = await run([part('slow', { start: look, stop: look })], { log: listening });
  await service.stop();

  expect(seen).toEqual([503, 503, 200, 200, 503, 200]);
});

test('the metrics of the catalogue are served at the ops port', async () => {
  metrics.counter('gsb_kafka_rebalances_total').inc({ group: 'ott' });

  const service = await run([]);
  const [status, text] = await ask(service.opsPort, '/metrics');
  await service.stop();

  expect(status).toBe(200);
  expect(text).toMatch(/gsb_kafka_rebalances_total\{group="ott",service_name="test"\} 1/);
});

test('a part that only a restart helps makes the service not live, and says which it is', async () => {
  const { part } = diary();
  let stuck = false;
  const service = await run([part('consumer', { live: () => !stuck })]);
  expect(await statusOf(service.opsPort, '/health/live')).toBe(200);

  stuck = true;

  await expect(ask(service.opsPort, '/health/live')).resolves.toEqual([
    503,
    '{"status":"waiting","waiting_for":["consumer"]}',
  ]);
  expect(await statusOf(service.opsPort, '/health/ready')).toBe(200);
  await service.stop();
});
