import { counting, extreme, increased, look, ready, series } from './expressions.ts';
import type { Alert } from './types.ts';

/** What the stores do not do. */
export const stores: readonly Alert[] = [
  {
    name: 'GsbRedisAway',
    severity: 'page',
    owner: 'platform',
    expr: `${extreme('max', 'gsb_redis_connected', {}, 'service_name')} < 1`,
    for: '30s',
    summary: 'No replica of {{ $labels.service_name }} is connected to Redis.',
    board: 'gsb-resources',
    runbook: {
      meaning: 'Connections to Redis are broken and cannot be made again.',
      impact: 'Every call is 503, never 404 or 401 (D-23). Afterwards nothing expires for one window (D-11).',
      diagnosis: [
        look('game-session', 'gsb_redis_connected'),
        ready('game-session'),
        'REDIS_MODE says which Redis it is. `sentinel`: do the Sentinels name a primary (`SENTINEL get-master-addr-by-name`)? `cluster`: has every slot one (`CLUSTER INFO`: cluster_state:ok)? Until then everything is 503. WRONGPASS or NOAUTH in the log: the user or the password of the Secret is not that of Redis.',
      ],
      mitigation: [
        'Bring Redis back, or let a replica be promoted: the hot view is rebuilt from the log, and nothing is to be done afterwards.',
      ],
    },
    proof: {
      firing: series('gsb_redis_connected', { service_name: 'ott' }, '1x5 0x60'),
      resting: series('gsb_redis_connected', { service_name: 'ott' }, '1x66'),
      afterMin: 10,
    },
  },
  {
    name: 'GsbViewRebuilt',
    severity: 'ticket',
    owner: 'platform',
    expr: `${increased('gsb_view_rebuilds_total', '10m', {}, 'service_name')} > 0`,
    summary: '{{ $labels.service_name }} has rebuilt its hot view: Redis was lost, restarted or replaced.',
    board: 'gsb-ends',
    runbook: {
      meaning:
        'Another Redis server answers than the one that the view was written on (D-24): it was restarted, emptied or replaced, or a primary that was away is one again. Of a Redis Cluster any one of its primaries (D-51).',
      impact:
        'Calls were 503 until the view was complete. Launchers of an emptied Redis have to start again.',
      diagnosis: [
        look('game-session', 'gsb_view_rebuild'),
        'Do the live records after it compare with those before?',
      ],
      mitigation: [
        'Nothing, after a failover that was meant. Otherwise find why Redis went.',
        'Without any failover: a primary that gets its first replica, or has had none for an hour, changes its id. Set `repl-backlog-ttl` to 0.',
      ],
    },
    proof: counting('gsb_view_rebuilds_total', { service_name: 'ott' }),
  },
  {
    name: 'GsbRedisFailing',
    severity: 'ticket',
    owner: 'platform',
    expr: `${increased('gsb_redis_failed_commands_total', '5m', {}, 'service_name')} > 10`,
    for: '2m',
    summary: 'Redis commands of {{ $labels.service_name }} fail or take longer than half a second.',
    board: 'gsb-resources',
    runbook: {
      meaning: 'Commands are not answered in time, or are refused.',
      impact: 'These calls are 503 and are tried again by their callers.',
      diagnosis: [
        look('game-session', 'gsb_redis_script_duration_seconds_count'),
        'The log has the reason. NOPERM: the service’s Redis user lacks a command or key (`libs/contracts/redis-users.ts`). MOVED or ASK: slots of a Redis Cluster are moving, and it ends with that. READONLY: the primary changed.',
      ],
      mitigation: [
        'Look at Redis: slow log, memory, `maxmemory-policy` (it must be noeviction), a fork that blocks.',
        'NOPERM, after a release: give the user the rules of this release.',
      ],
    },
    proof: counting('gsb_redis_failed_commands_total', { service_name: 'ott' }),
  },
  {
    name: 'GsbPostgresFailing',
    severity: 'ticket',
    owner: 'platform',
    expr: `${increased('gsb_postgres_failed_statements_total', '5m', { outcome: 'failed' })} > 3`,
    for: '2m',
    summary: 'Statements of settlement fail in Postgres.',
    board: 'gsb-settlement',
    runbook: {
      meaning: 'Postgres is away, a statement took longer than five seconds, or a lock timed out.',
      impact: 'None for play. The ledger waits and is written when it is back.',
      diagnosis: [
        look('settlement', 'gsb_postgres_statement_duration_seconds_count'),
        look('settlement', 'gsb_postgres_pool'),
      ],
      mitigation: ['Bring Postgres back; a promoted standby is noticed and filled up from the log (D-38).'],
    },
    proof: counting('gsb_postgres_failed_statements_total', { outcome: 'failed' }),
  },
  {
    name: 'GsbPostgresDenies',
    severity: 'ticket',
    owner: 'platform',
    expr: `${increased('gsb_postgres_failed_statements_total', '5m', { outcome: 'denied' })} > 3`,
    for: '2m',
    summary: 'Postgres answers settlement, and refuses it: a right, a login or a table is lacking.',
    board: 'gsb-settlement',
    runbook: {
      meaning:
        'Postgres is there. The role lacks a right (42501), its name or password is wrong (28P01, 28000), or the database, schema, table or function is not there for it (3D000, 3F000, 42P01, 42883). Waiting does not mend it.',
      impact:
        'None for play. The ledger waits with every event on the log, as when Postgres is away, until the role may write; `sign-in` means that nobody is let in.',
      diagnosis: [
        look('settlement', 'gsb_postgres_statement_duration_seconds_count'),
        'The log of settlement says `postgres refuses the role …` with the reason, and at its start which role lacks which right.',
      ],
      mitigation: [
        'Run the migration with the names of the roles (`services/settlement/migrate.ts`; `helm upgrade` runs it): it gives each its rights, and names what it cannot give or take (D-53).',
        'A login: compare the Secret with the role in Postgres, then replace the pods, which read it when they start.',
      ],
    },
    proof: counting('gsb_postgres_failed_statements_total', { outcome: 'denied' }),
  },
  {
    name: 'GsbPostgresPoolWaits',
    severity: 'ticket',
    owner: 'platform',
    expr: `${extreme('max', 'gsb_postgres_pool_connections', { state: 'waiting' })} > 0`,
    for: '5m',
    summary: 'Statements of settlement wait for a connection.',
    board: 'gsb-settlement',
    runbook: {
      meaning:
        'All connections that a replica has for one use are busy: eight to read with, four to write with.',
      impact: 'Statements and the ledger are slow.',
      diagnosis: [look('settlement', 'gsb_postgres_pool')],
      mitigation: [
        'Find the long statement: a reconciliation of an open day takes seconds; several at once take the pool.',
      ],
    },
    proof: {
      firing: series('gsb_postgres_pool_connections', { state: 'waiting' }, '3x66'),
      resting: series('gsb_postgres_pool_connections', { state: 'waiting' }, '0x66'),
      afterMin: 10,
    },
  },
];
