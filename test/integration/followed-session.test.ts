import { dirname, join } from 'node:path';
import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { logsOf } from '../../deploy/local/logs-of.ts';
import { eventually } from '../support/eventually.ts';
import { newPlayer, theStack } from '../support/suite-stack.ts';

const folder = join(dirname(process.env['GSB_STACK'] ?? ''), 'logs');

test('the log tells a session’s whole way through the services, a line for each change of state, and never who played', async () => {
  const { server, id, user } = await newPlayer(await theStack());
  await server.heartbeat(id, user);
  await server.end(id);
  const way: [service: string, change: EventName][] = [
    ['ott', 'ott.accepted'],
    ['billing-adapter', 'billing.started'],
    ['ott', 'ott.consumed'],
    ['game-session', 'game-session.started'],
    ['game-session', 'game-session.ending'],
    ['billing-adapter', 'billing.stopped'],
    ['game-session', 'game-session.ended'],
  ];
  const lineOf = (lines: readonly string[], [service, change]: (typeof way)[number]) =>
    lines.filter((line) => line.includes(` ${service} `) && line.includes(events[change].summary));

  const lines = await eventually(
    async () => logsOf(folder, id),
    (found) => way.every((step) => lineOf(found, step).length > 0),
  );

  expect(way.map((step) => lineOf(lines, step).length)).toEqual(way.map(() => 1));
  expect(lines.filter((line) => !line.includes('trace_id='))).toEqual([]);
  expect(lines.join()).not.toContain(user);
  expect(lines.join()).not.toContain('heartbeat was accepted');
});
