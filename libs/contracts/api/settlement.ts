import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { endReason } from '../events/game-sessions.ts';
import { cafeId, gameId, gameSessionId, pcId, playSeconds, sha256 } from '../fields.ts';

/** A calendar day of SETTLEMENT_TIME_ZONE. */
export const calendarDay = z.iso
  .date('must be a calendar day, YYYY-MM-DD')
  .regex(/^2[01]/, 'must be a day of this or the next century')
  .meta({ description: 'A calendar day of the settlement time zone.', example: '2026-11-20' });

/** What an operator's key may be refused with, on every operation (D-40). */
const refusals = ['INVALID_OPERATOR_KEY', 'FORBIDDEN'] as const;

const count = z.int().nonnegative();
const instant = (description: string, example: string) => z.iso.datetime().meta({ description, example });

/** One entry of the ledger, written when play is over: seconds, never amounts (D-16). The partner's seconds follow with its confirmation. */
export const ledgerEntry = z.object({
  game_session_id: gameSessionId,
  cafe_id: cafeId,
  pc_id: pcId,
  game_id: gameId,
  user_hash: sha256.meta({
    description: 'HMAC-SHA-256 of game and player, by a secret of the month that is forgotten later (D-43).',
    example: 'f'.repeat(64),
  }),
  started_at: instant('Start of play, RFC 3339.', '2026-11-20T09:00:00.000Z'),
  ended_at: instant('End of play, RFC 3339.', '2026-11-20T09:06:12.000Z'),
  end_reason: endReason.meta({ description: 'Why play ended.', example: 'game_ended' }),
  play_duration_sec: playSeconds.meta({
    description: 'Seconds played, the authoritative value (spec 4.3).',
    example: 372,
  }),
  client_play_duration_sec: playSeconds
    .nullable()
    .meta({ description: 'Seconds as the game measured them, or null.', example: 370 }),
  partner_play_duration_sec: playSeconds
    .nullable()
    .meta({ description: 'Seconds that the partner confirmed; null until it has.', example: 372 }),
  compensation_sec: playSeconds.meta({ description: 'Seconds given back.', example: 0 }),
});

/** Reads one entry of the ledger. */
export const getSession = endpoint({
  name: 'settled-session',
  method: 'GET',
  path: '/v1/sessions/:game_session_id',
  summary: 'What was played in one game session.',
  auth: 'operator-key',
  params: z.object({ game_session_id: gameSessionId }),
  data: ledgerEntry,
  errors: [...refusals, 'SESSION_NOT_FOUND', 'UNAVAILABLE'],
});

/** One row of a statement: a ledger entry and, for a late one, the closed day that it belongs to. */
export const statementRow = ledgerEntry.extend({
  adjustment_of: calendarDay.nullable().meta({
    description: 'The day, closed before, that this late session belongs to; null for any other (D-30).',
    example: null,
  }),
});

const cafe = cafeId.optional().meta({ description: 'Only this cafe.', example: 'cafe-seoul-01' });
const game = gameId.optional().meta({ description: 'Only this game.', example: 'starfall' });
const day = calendarDay.meta({ description: 'The day on which play ended.', example: '2026-11-20' });
const closed = z.boolean().meta({
  description: 'Whether the day is closed: then this response never changes again.',
  example: true,
});

/** The statement of a day as JSON, or as CSV for requests that accept text/csv. Both are streamed and carry the SHA-256 of the CSV (D-28). */
export const getStatement = endpoint({
  name: 'statement',
  method: 'GET',
  path: '/v1/statements',
  summary: 'Every session of a day, with its seconds.',
  auth: 'operator-key',
  query: z.object({ day, cafe, game }),
  data: z.object({
    day,
    closed,
    rows: z.array(statementRow).meta({ description: 'The sessions by end of play, adjustments last.' }),
    row_count: count.meta({ description: 'How many rows.', example: 1 }),
    total_sec: count.meta({ description: 'The sum of play_duration_sec.', example: 372 }),
    sha256: sha256.meta({
      description: 'SHA-256 of the same statement as CSV, without its last line.',
      example: 'f'.repeat(64),
    }),
  }),
  csv: {
    description:
      'A header, a line for each session, and a last line with row count, seconds and SHA-256 (D-28).',
    example: `game_session_id,cafe_id\n# rows=0 total_sec=0 sha256=${'f'.repeat(64)}\n`,
  },
  errors: [...refusals, 'UNAVAILABLE'],
});

const seconds = (description: string, example: number) => count.meta({ description, example });

/** The totals of one cafe and game on a day. */
export const reconciliationTotal = z.object({
  cafe_id: cafeId,
  game_id: gameId,
  sessions: seconds('Sessions that ended on the day.', 12),
  play_duration_sec: seconds('Their seconds; the authoritative value.', 4464),
  client_sessions: seconds('How many of them the game measured.', 10),
  client_play_duration_sec: seconds('The seconds that the game measured.', 3720),
  partner_sessions: seconds('How many of them the partner has confirmed or stated.', 12),
  partner_play_duration_sec: seconds("The partner's seconds.", 4464),
});

/** What can differ between two records of a session; close-day tells the likely cause of each, and a reconciliation the remedy too. */
export const differenceCauses = [
  ...['missing_at_partner', 'not_stopped_at_partner', 'not_confirmed', 'answer_and_statement_differ'],
  ...['partner_counted_more', 'partner_counted_less', 'unknown_here', 'never_stopped'],
  ...['client_measured_more', 'client_measured_less'],
] as const;

/** One difference between our ledger and the seconds of the partner or the game. */
export const reconciliationDifference = z.object({
  game_session_id: z
    .string()
    .meta({ description: 'The session.', example: 'gs_3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47' }),
  cafe_id: cafeId,
  game_id: gameId,
  cause: z.string().meta({ description: 'What differs.', example: 'partner_counted_more' }),
  band: z.enum(['notable', 'serious']).meta({ description: 'How bad it is.', example: 'notable' }),
  our_sec: playSeconds.nullable().meta({ description: 'Our seconds, or null.', example: 372 }),
  their_sec: playSeconds.nullable().meta({ description: 'Their seconds, or null.', example: 380 }),
  likely: z.string().meta({ description: 'The likely cause.', example: 'an earlier renewal stands' }),
  remedy: z.string().meta({ description: 'What to do.', example: 'ask the partner to correct its line' }),
});

/** A session that was recorded after its day had been closed (D-30). */
export const reconciliationAdjustment = z.object({
  game_session_id: gameSessionId,
  of_day: calendarDay.meta({ description: 'The closed day that it belongs to.', example: '2026-11-19' }),
  cafe_id: cafeId,
  game_id: gameId,
  play_duration_sec: playSeconds,
});

/** The largest number of differences, and of adjustments, in one response; the closing's CSV lists more (D-30). */
export const maxListed = 1_000;

/** The reconciliation of a day: as it was closed or, of an open day, as it is now. */
export const getReconciliation = endpoint({
  name: 'reconciliation',
  method: 'GET',
  path: '/v1/reconciliations/:day',
  summary: 'What agrees, what differs and by how much.',
  auth: 'operator-key',
  params: z.object({ day: calendarDay }),
  data: z.object({
    day,
    closed,
    partner_statement: z.enum(['compared', 'left_out']).meta({
      description: "Whether the partner's own statement was compared, or only its confirmations (D-29).",
      example: 'compared',
    }),
    sessions: count.meta({ description: 'Sessions of the day and adjustments.', example: 13 }),
    play_duration_sec: count.meta({ description: 'Their seconds.', example: 4836 }),
    agreeing_sessions: count.meta({ description: 'Sessions on which all ledgers agree.', example: 12 }),
    difference_count: count.meta({ description: 'How many differences there are.', example: 1 }),
    totals: z
      .array(reconciliationTotal)
      .meta({ description: 'Totals by cafe and game, without adjustments.' }),
    adjustment_count: count.meta({ description: 'How many adjustments there are.', example: 1 }),
    adjustments: z
      .array(reconciliationAdjustment)
      .meta({ description: `Late sessions of days that were closed before; the first ${maxListed}.` }),
    differences: z
      .array(reconciliationDifference)
      .meta({ description: `Differences by session; the first ${maxListed}.` }),
  }),
  errors: [...refusals, 'RATE_LIMITED', 'UNAVAILABLE'],
});
