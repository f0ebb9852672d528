import { Pool } from 'pg';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import type { Db } from './statement.ts';

const connectTimeoutMs = 2_000;
const statementTimeoutMs = 5_000;
const maxConnections = 10;

interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The pool, with the duration and outcome of every statement measured under its name. */
const measured = (pool: Pool, metrics: Metrics): Db => {
  const durations = metrics.histogram('gsb_postgres_statement_duration_seconds');
  return {
    query: async (statement) => {
      const stop = durations.startTimer({ statement: statement.name });
      try {
        const result = await pool.query(statement);
        stop({ outcome: 'ok' });
        return result;
      } catch (error) {
        stop({ outcome: 'failed' });
        throw error;
      }
    },
  };
};

/** A pool of connections as a component of a service; every statement has a timeout. */
export const connectPostgres = ({ url, log, metrics }: PostgresOptions): Component & { readonly db: Db } => {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
    // A generic plan, kept for the pages of any day, would read the whole table for each of them.
    options: '-c plan_cache_mode=force_custom_plan',
  });
  pool.on('error', (error) => log.warn({ error }, 'an idle postgres connection failed'));
  return {
    name: 'postgres',
    db: measured(pool, metrics),
    start: async () => {
      await pool.query('select 1');
    },
    stop: () => pool.end(),
  };
};
