import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logsOf } from '../../../../deploy/local/logs-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'gsb-logs-of-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const line = (sec: number, service: string, msg: string, more: object = {}) =>
  `${JSON.stringify({ level: 'info', time: `2026-11-22T10:00:0${sec}.000Z`, service, instance: 'i', msg, ...more })}\n`;
const trace = { trace_id: 'a'.repeat(32) };

writeFileSync(join(folder, 'ott-1.log'), line(3, 'ott', 'three', trace) + '{"level":"inf');
writeFileSync(join(folder, 'ott-1.log.1'), line(1, 'ott', 'one'));
writeFileSync(
  join(folder, 'game-session.log'),
  line(4, 'game-session', 'four') + line(2, 'game-session', 'two', { ...trace, request_id: 'req_1' }),
);
writeFileSync(join(folder, 'kafka.log'), 'not ours\n');

test('the lines of a service come in order of time, from all its replicas and from before a rotation', () => {
  const lines = logsOf(folder, 'ott');

  expect(lines.map((each) => / (one|three)/.exec(each)?.[1])).toEqual(['one', 'three']);
});

test('a request is followed through all services: the lines that name it, and those of its trace', () => {
  const lines = logsOf(folder, 'req_1');

  expect(lines).toEqual([
    `10:00:02.000 info  game-session     two trace_id=${trace.trace_id} request_id=req_1`,
    `10:00:03.000 info  ott              three trace_id=${trace.trace_id}`,
  ]);
});

test('nothing is said of an id that nobody names', () => {
  expect(logsOf(folder, 'gs_0')).toEqual([]);
});
