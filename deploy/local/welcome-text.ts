import type { StackFacts } from '#simulators/stack-file.ts';

const row = (name: string, value: string) => `  ${name.padEnd(12)} ${value}`;

/** The addresses of everything that runs. */
export const addresses = (facts: StackFacts): string =>
  [
    '',
    'gsb is up',
    row('launchers', facts.launcher.url),
    row('game servers', facts.game.url),
    row('settlement', facts.settlement.url),
    row('partner', `${facts.partner.url}  (simulated)`),
    row('kafka', facts.kafka.brokers.join(', ')),
    row('redis', facts.redis.url),
    row('postgres', facts.postgres.url.replace(/:[^:@/]+@/, ':…@')),
    ...facts.processes.map(({ service, pid, ops }) =>
      row('', `${service.padEnd(17)} pid ${String(pid).padEnd(7)} ${ops}/metrics`),
    ),
    row('', 'all of it, with the keys: .local/stack.json · logs: .local/logs/'),
  ].join('\n');

const nobody = 'gs_00000000-0000-4000-8000-000000000000';

/** Lines to paste: a heartbeat of an unknown session (404), the ledger's line of a session that was played, the partner's ledger. */
export const curls = ({ game, settlement, partner }: StackFacts, played: string | undefined): string => {
  const key = game.games[0]?.api_keys[0] ?? '';
  const body = `{"game_session_id":"${nobody}","provider_user_id":"player-1"}`;
  return [
    '',
    'Try:',
    `  curl -s -X PATCH ${game.url}/v1/game/session/heartbeat -H 'X-Api-Key: ${key}' -H 'Content-Type: application/json' -d '${body}'`,
    ...(played === undefined ? [] : [`  curl -s ${settlement.url}/v1/sessions/${played}`]),
    `  curl -s ${partner.url}/control/ledger`,
  ].join('\n');
};
