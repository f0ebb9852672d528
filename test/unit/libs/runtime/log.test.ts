import { context } from '@opentelemetry/api';
import { withRequestId } from '#libs/runtime/request-context.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { LogFields } from '#libs/runtime/log-fields.ts';
import { inSpan, startTracing } from '#libs/runtime/tracing.ts';

const logged = (write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] => {
  const lines: string[] = [];
  write(createLog({ service: 'ott', instance: 'ott-1', level: 'info' }, (line) => lines.push(line)));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};

test('a field that is not on the list is not written, whatever it holds', () => {
  const fields = { gameId: 'starfall', apiKey: 'gsb_live_secret' } as LogFields;

  const [line] = logged((log) => log.info(fields, 'hello'));

  expect(line).toMatchObject({
    level: 'info',
    service: 'ott',
    instance: 'ott-1',
    game_id: 'starfall',
    msg: 'hello',
  });
  expect(JSON.stringify(line)).not.toMatch(/secret/);
});

test('of an error its kind, message and place are written, and nothing that a driver hung on it', () => {
  const error = Object.assign(new TypeError('wrong type'), { code: 'E1', command: { args: ['secret'] } });

  const [line] = logged((log) => log.error({ error }, 'failed'));

  expect(line).toMatchObject({
    error: { type: 'TypeError', message: 'wrong type', code: 'E1', stack: expect.any(String) as string },
  });
  expect(JSON.stringify(line)).not.toMatch(/secret/);
});

test('below the level nothing is written', () => {
  expect(logged((log) => log.debug({}, 'hello'))).toEqual([]);
});

test('a line tells the request and the trace that it belongs to', async () => {
  const tracing = await startTracing({ service: 'test', instance: 'test' });

  const [line] = await context.with(withRequestId('req_7'), () =>
    inSpan('work', {}, async () => logged((log) => log.info({}, 'hello'))),
  );

  await tracing.shutdown();
  expect(line).toMatchObject({
    request_id: 'req_7',
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
});
