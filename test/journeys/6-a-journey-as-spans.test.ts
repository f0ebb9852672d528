import { servePage } from '../../deploy/local/observe/page-server.ts';
import type { KeptSpan } from '../../deploy/local/observe/spans.ts';
import { eventually } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { spanTree } from '../support/span-tree.ts';
import { newPlayer } from '../support/suite-stack.ts';

const page = await servePage({ chart: '', prometheus: () => '', alertmanager: () => undefined });
const own = useOwnStack({
  OTEL_EXPORTER_OTLP_ENDPOINT: page.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '200',
});
afterAll(() => page.close());

const trees = (): Record<string, string[]> => {
  const traces = page.traces
    .list({}, 1_000)
    .map(({ traceId, name }) => [name, page.traces.trace(traceId)] as const);
  const all: KeptSpan[] = traces.flatMap(([, spans]) => [...spans]);
  return Object.fromEntries(traces.map(([name, spans]) => [name, spanTree(spans, all)]));
};

/** Five requests, minutes apart in earnest: each its own trace with what it causes, and a link to the one that it continues. */
const expected: Record<string, string[]> = {
  'POST /v1/session/start': [
    'launcher-gateway: POST /v1/session/start',
    '  launcher-gateway: publish cafe-checks.v1',
    '    billing-adapter: process cafe-checks.v1',
    '      billing-adapter: partner check',
    '      billing-adapter: publish cafe-verdicts.v1',
    '        launcher-gateway: process cafe-verdicts.v1',
    '  launcher-gateway: publish launcher-sessions.v1',
    '    game-session: process launcher-sessions.v1',
  ],
  'POST /v1/ott': [
    'launcher-gateway: POST /v1/ott → POST /v1/session/start',
    '  launcher-gateway: publish ott-requests.v1',
    '    ott: process ott-requests.v1',
    '      ott: publish ott-issuances.v1',
    '        launcher-gateway: process ott-issuances.v1',
  ],
  // The end of play is in the trace of the verify (D-22).
  'POST /v1/game/session/verify': [
    'game-session: POST /v1/game/session/verify',
    '  game-session: publish ott-presentations.v1',
    '    ott: process ott-presentations.v1 → POST /v1/ott',
    '      ott: publish ott-claims.v1',
    '        billing-adapter: process ott-claims.v1',
    '          billing-adapter: partner start',
    '          billing-adapter: publish billing.v1',
    '            game-session: process billing.v1',
    '              game-session: end of play → DELETE /v1/game/session/end',
    '                game-session: publish game-sessions.v1',
    '                  billing-adapter: process game-sessions.v1',
    '                    billing-adapter: partner stop',
    '                    billing-adapter: publish billing.v1',
    '                      game-session: process billing.v1',
    '                        game-session: publish game-session-changes.v1',
    '              game-session: publish game-session-changes.v1',
    '            ott: process billing.v1',
    '              ott: publish ott-ends.v1',
  ],
  'PATCH /v1/game/session/heartbeat': [
    'game-session: PATCH /v1/game/session/heartbeat → POST /v1/game/session/verify',
    '  billing-adapter: process heartbeats.v1',
    '    billing-adapter: partner renew',
    '    game-session: process renewals.v1',
  ],
  'DELETE /v1/game/session/end': ['game-session: DELETE /v1/game/session/end'],
};

test('a journey is five traces from launcher to ledger, and each leads to the one before it', async () => {
  const player = await newPlayer(own.stack.facts());
  await player.server.heartbeat(player.id, player.user);
  await player.server.end(player.id, 1);

  const isWhole = (found: Record<string, string[]>) =>
    Object.entries(expected).every(([name, lines]) => found[name]?.length === lines.length);
  const found = await eventually(async () => trees(), isWhole, 10_000).catch(() => trees());

  expect(found).toEqual(expected);
}, 60_000);
