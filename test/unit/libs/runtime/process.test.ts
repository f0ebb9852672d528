import { processOf } from '../../../support/process-of.ts';

const service = (start: string) => `
  import { createLog } from '#libs/runtime/log.ts';
  import { createMetrics } from '#libs/runtime/metrics.ts';
  import { runMain } from '#libs/runtime/run-main.ts';
  import { runService } from '#libs/runtime/service.ts';
  const log = createLog({ service: 'test', instance: 'test', level: 'info' });
  const part = { name: 'part', start: async () => { ${start} }, stop: async () => console.log('part stopped') };
  const held = setInterval(() => undefined, 1000);
  runMain(() => runService({ name: 'test', log, metrics: createMetrics('test'), ops: { host: '127.0.0.1', port: 0 }, parts: [part] }));
`;

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops the parts and ends the process with 0',
  async (signal) => {
    const { child, printed, ended } = processOf(service(''));
    await printed(/"msg":"running"/);

    child.kill(signal);

    const { code, logged } = await ended;
    expect(code).toBe(0);
    expect(logged).toContain('part stopped');
  },
);

test('an error that nobody caught stops the parts and ends the process with 1', async () => {
  const { ended } = processOf(service("setTimeout(() => Promise.reject(new Error('forgotten')), 1)"));

  const { code, logged } = await ended;

  expect(code).toBe(1);
  expect(logged).toContain('part stopped');
  expect(logged.join()).toMatch(/forgotten/);
});

test('a part that does not start ends the process with 1 and the reason', async () => {
  const { ended } = processOf(service("throw new Error('no store')"));

  const { code, complained } = await ended;

  expect(code).toBe(1);
  expect(complained).toMatch(/no store/);
});

test('a configuration that is wrong is told in plain lines', async () => {
  const { ended } = processOf(`
    import { ConfigError } from '#libs/runtime/config.ts';
    import { runMain } from '#libs/runtime/run-main.ts';
    runMain(async () => { throw new ConfigError('REDIS_URL: is not set'); });
  `);

  await expect(ended).resolves.toMatchObject({ code: 1, complained: 'REDIS_URL: is not set\n' });
});
