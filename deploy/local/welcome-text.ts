import type { StackFacts } from '#simulators/stack-file.ts';

const row = (name: string, value: string) => `  ${name.padEnd(12)} ${value}`;

const withoutPassword = (url: string) => url.replace(/^([^:]+:\/\/[^:@]*):.*@/, '$1:…@');

const redisRow = ({ redis: { url, sentinels, master, cluster } }: StackFacts): string => {
  if (cluster) return `${cluster.join(', ')}  (a cluster)`;
  const at = withoutPassword(url);
  return sentinels ? `${at}  (primary; Sentinels ${sentinels.join(', ')} call it ${master})` : at;
};

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
    row('redis', redisRow(facts)),
    row('postgres', withoutPassword(facts.postgres.url)),
    ...facts.processes.map(({ service, replica, pid, ops }) =>
      row('', `${(replica ?? service).padEnd(18)} pid ${String(pid).padEnd(7)} ${ops}/metrics`),
    ),
    row(
      '',
      'all of it, with the keys: .local/stack.json · logs: .local/logs/ (npm run logs -- ott, or req_… or gs_…)',
    ),
  ].join('\n');

/** What the topology many is, and lines to paste that break and mend it; nothing for one of everything. */
export const breaking = ({ faults }: StackFacts): string =>
  faults === undefined
    ? ''
    : `
Many of everything: three brokers (each message is on all, two must have it), a Redis primary with a replica
and three Sentinels, a Postgres primary with a standby, and two replicas of every service behind the addresses
above. Every connection to a store or the partner goes through a link that can be broken. In another terminal:
  npm run fault -- blackhole kafka-2        a broker that died without a word; pass kafka-2 mends it
  npm run fault -- kill redis-primary       the Sentinels make the replica the primary; start redis-1 brings it back
  npm run fault -- cut redis-1 for ott-1    one replica loses Redis; pass redis-1 mends it
  npm run fault -- kill game-session-1      started again at once, under the same name
  npm run fault -- skew ott-1 +300s         its clock is five minutes ahead; skew ott-1 0s sets it right
  npm run fault                             all that can be broken; list says what is broken now
`;

const nobody = 'gs_00000000-0000-4000-8000-000000000000';

/** Lines to paste: a heartbeat of an unknown session (404), the ledger's line of a session that was played, the partner's ledger. */
export const curls = ({ game, settlement, partner }: StackFacts, played: string | undefined): string => {
  const key = game.games[0]?.api_keys[0] ?? '';
  const body = `{"game_session_id":"${nobody}","provider_user_id":"player-1"}`;
  return [
    '',
    'Try:',
    `  curl -s -X PATCH ${game.url}/v1/game/session/heartbeat -H 'X-Api-Key: ${key}' -H 'Content-Type: application/json' -d '${body}'`,
    ...(played === undefined
      ? []
      : [
          `  curl -s ${settlement.url}/v1/sessions/${played} -H 'Authorization: Bearer ${settlement.operator_key}'`,
        ]),
    `  curl -s ${partner.url}/control/ledger`,
  ].join('\n');
};
