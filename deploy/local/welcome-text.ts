import type { StackFacts } from '#simulators/stack-file.ts';

const row = (name: string, value: string) => `  ${name.padEnd(12)} ${value}`;

/** Where everything answers. */
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

/** Three lines to paste: a heartbeat for a session that nobody knows (404), the first player's line in our ledger, the partner's book. */
export const curls = ({ game, settlement, partner }: StackFacts, played: string): string => {
  const key = game.games[0]?.api_keys[0] ?? '';
  const body = `{"game_session_id":"${nobody}","provider_user_id":"player-1"}`;
  return [
    '',
    'Try:',
    `  curl -s -X PATCH ${game.url}/v1/game/session/heartbeat -H 'X-Api-Key: ${key}' -H 'Content-Type: application/json' -d '${body}'`,
    `  curl -s ${settlement.url}/v1/sessions/${played}`,
    `  curl -s ${partner.url}/control/ledger`,
  ].join('\n');
};
