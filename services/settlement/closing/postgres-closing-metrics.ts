import { z } from 'zod';
import { differenceCauses } from '#libs/contracts/api/settlement.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { loadStatements, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import type { Component } from '#libs/runtime/service.ts';
import { boundsOf, dayOf } from '../core/days.ts';
import { statements } from './postgres-closing-statements.ts';

/** A closing changes once a day; that a day is not closed is told in hours. */
const everyMs = 15_000;

const { findLastClosing, listLastCauses } = loadStatements(new URL('./last-closing.sql', import.meta.url), {
  findLastClosing: z.object({
    day: z.string().nullable(),
    partner_statement: z.enum(['compared', 'left_out']).nullable(),
    unclosed_since_ms: z.number().nullable(),
  }),
  listLastCauses: z.object({ cause: z.string(), sessions: z.number() }),
});

interface MeasuredClosings {
  readonly db: Db;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly timeZone: string;
}

/** What a closing found; nothing while no day has been closed. */
const foundBy = async (db: Db, day: string | null) => {
  if (day === null) return { sums: undefined, causes: [] };
  const [found] = await query(db, statements.findClosing, [day]);
  const causes = await query(db, listLastCauses, [day]);
  return { sums: found && fromWire(statements.findClosing.row, found), causes };
};

const tell = ({ gauge }: Metrics, { sums, causes }: Awaited<ReturnType<typeof foundBy>>): void => {
  const sessions = gauge('gsb_last_closing_sessions');
  const agreeing = sums?.agreeingSessions ?? 0;
  sessions.set({ records: 'agree' }, agreeing);
  sessions.set({ records: 'differ' }, (sums?.sessions ?? 0) - agreeing);
  gauge('gsb_last_closing_seconds').set(sums?.playDurationSec ?? 0);
  gauge('gsb_last_closing_adjustments').set(sums?.adjustmentCount ?? 0);
  const differences = gauge('gsb_last_closing_differences');
  for (const cause of differenceCauses) differences.set({ cause }, 0);
  for (const { cause, sessions: count } of causes) differences.set({ cause }, count);
};

/** For how long the day has been over that an instant belongs to, in ms; 0 while it is not. */
const overForMs = (instantMs: number | null, { clock, timeZone }: MeasuredClosings): number =>
  instantMs === null ? 0 : Math.max(0, clock() - boundsOf(dayOf(instantMs, timeZone), timeZone).endsAtMs);

/**
 * Tells what the last closing found, whoever made it: it is made by a job, which ends before anybody can scrape it. Asks Postgres every
 * 15 s, however often it is called.
 */
export const measureClosings = (options: MeasuredClosings): (() => Promise<number>) => {
  const { db, metrics, clock } = options;
  let nextAtMs = -Infinity;
  return async () => {
    if (clock() < nextAtMs) return 0;
    nextAtMs = clock() + everyMs;
    const [last] = await query(db, findLastClosing);
    tell(metrics, await foundBy(db, last?.day ?? null));
    metrics
      .gauge('gsb_unclosed_day_age_seconds')
      .set(overForMs(last?.unclosed_since_ms ?? null, options) / 1000);
    metrics.gauge('gsb_last_closing_without_partner').set(last?.partner_statement === 'left_out' ? 1 : 0);
    return 0;
  };
};

/** `measureClosings` for as long as the service runs. */
export const closingMetrics = ({ log, ...options }: MeasuredClosings & { readonly log: Log }): Component =>
  createPeriodicTask({ name: 'closings', run: measureClosings(options), log });
