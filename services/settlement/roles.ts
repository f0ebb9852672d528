import type { Grants } from '#libs/postgres/rights.ts';

const closings = [
  ...['closings', 'closing_totals', 'closing_adjustments'],
  ...['closing_differences', 'closing_difference_sums', 'closing_results'],
];
const of = (privileges: string, tables: readonly string[]) =>
  tables.map((table) => ({ privileges, on: `table ${table}` }));
const reading = of('select', ['entries', 'confirmations', 'gsb_migrations', ...closings]);

/** What the consumer says of an entry and of a confirmation. Postgres numbers them and says when: a closed day ends with a number (D-30). */
const entry =
  'game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason, play_duration_sec, client_play_duration_sec';
const confirmation = 'game_session_id, partner_play_duration_sec';

/**
 * What each role may do with the ledger, beside its owner, who migrates (D-53). Nobody else changes a table, or a row of the ledger; only the
 * writer knows the secrets that players are hashed with, and it does not know whose sessions the ledger has.
 */
export const roles = {
  /** Settlement's consumer. */
  writer: [
    ...of(`insert (${entry}), select (game_session_id)`, ['entries']),
    ...of(`insert (${confirmation}), select (game_session_id)`, ['confirmations']),
    ...of('select, insert, update', ['log_positions']),
    ...of('select, insert, delete', ['user_hash_secrets']),
    ...of('select', ['gsb_migrations']),
  ],
  /** Settlement's API, previews of a closing included, and the commands that only read. */
  reader: reading,
  /** close-day. */
  closer: [
    ...reading,
    ...of('insert', closings),
    { privileges: 'execute', on: 'function ledger_watermark()' },
  ],
} as const satisfies Record<string, Grants>;

/** The name of a role. */
export type RoleName = keyof typeof roles;
