import { inSpan } from '#libs/runtime/tracing.ts';
import { inSessionTrace, linkedToSession } from '../../../../services/game-session/adapters/session-trace.ts';
import { recordSpans } from '../../../support/recorded-spans.ts';

const exporter = recordSpans();
const verifyTrace = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${verifyTrace}-b7ad6b7169203331-01`;

const spansOf = async (name: string) => {
  await new Promise((resolve) => setImmediate(resolve));
  return exporter.getFinishedSpans().filter((span) => span.name === name);
};
const linksOf = async (name: string) =>
  (await spansOf(name)).flatMap(({ links }) => links.map((link) => link.context.traceId));

const sealed = (session: object) => ({ key: 'gs_1', json: JSON.stringify({ session }) });

const nothing = { publishLater: () => undefined, leaveBefore: () => undefined };
const heartbeats = linkedToSession(async () => undefined, nothing);
const waitedFor = async (session: object) => {
  await heartbeats.requestTogether('game-session.heartbeat', sealed(session), { waitMs: 1 });
};
const notWaitedFor = async (session: object) => heartbeats.publishHeartbeatLater(sealed(session));

test.each([
  ['waits for its renewal', waitedFor],
  ['does not', notWaitedFor],
])(
  'a heartbeat that %s is a trace of its own, linked to the verify that began its session',
  async (_, beat) => {
    await inSpan('PATCH', {}, () => beat({ traceparent }));

    expect(await linksOf('PATCH')).toEqual([verifyTrace]);
    expect((await spansOf('PATCH'))[0]!.spanContext().traceId).not.toBe(verifyTrace);
  },
);

test('a session that began without a trace is linked to nothing', async () => {
  await inSpan('PATCH', {}, () => waitedFor({ traceparent: null }));

  expect(await linksOf('PATCH')).toEqual([]);
});

test('the end of play is in the trace of the verify, linked to the request that ended it (D-22)', async () => {
  const publish = inSessionTrace(async () => undefined);
  let ending = '';

  await inSpan('DELETE', {}, async (span) => {
    ending = span.spanContext().traceId;
    await publish('game-session.ending', { session: { traceparent } } as never);
  });

  expect((await spansOf('end of play'))[0]!.spanContext().traceId).toBe(verifyTrace);
  expect(await linksOf('end of play')).toEqual([ending]);
});
