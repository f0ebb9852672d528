import { Pool } from 'pg';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { exponentialBackoffMs, sleep } from '#libs/runtime/wait.ts';
import { borrowConnection } from './dedicated-connection.ts';
import type { ConnectionLimits, DedicatedConnection } from './dedicated-connection.ts';
import type { Db } from './statement.ts';

const connectTimeoutMs = 2_000;
const statementTimeoutMs = 5_000;
const maxConnections = 10;
const firstPauseMs = 100;
const maxPauseMs = 1_000;

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

/** The pool's connections by state, as they are when the metrics are read. */
const measureConnections = (pool: Pool, metrics: Metrics): void => {
  const connections = metrics.gauge('gsb_postgres_pool_connections');
  metrics.beforeText(() => {
    const { totalCount, idleCount, waitingCount } = pool;
    connections.set({ state: 'busy' }, totalCount - idleCount);
    connections.set({ state: 'idle' }, idleCount);
    connections.set({ state: 'waiting' }, waitingCount);
  });
};

/** Waits for a server that is away, or starts itself. */
const untilAnswered = async (pool: Pool, log: Log, signal: AbortSignal): Promise<void> => {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await pool.query('select 1');
      return;
    } catch (error) {
      log.warn({ error, attempt }, 'postgres does not answer; trying again');
    }
    await sleep(exponentialBackoffMs(attempt, firstPauseMs, maxPauseMs), signal);
  }
};

/** A pool of connections as a component. `borrow`: one of them for work of its own. */
export type PostgresPool = Component & {
  readonly db: Db;
  borrow(limits: ConnectionLimits): Promise<DedicatedConnection>;
};

/** A pool of connections as a component of a service, which starts when the server answers; every statement has a timeout. */
export const connectPostgres = ({ url, log, metrics }: PostgresOptions): PostgresPool => {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
    // A generic plan, kept for the pages of any day, would read the whole table for each of them.
    options: '-c plan_cache_mode=force_custom_plan',
  });
  const stopped = new AbortController();
  measureConnections(pool, metrics);
  pool.on('error', (error) => log.warn({ error }, 'an idle postgres connection failed'));
  return {
    name: 'postgres',
    db: measured(pool, metrics),
    borrow: (limits) => borrowConnection(pool, limits),
    start: () => untilAnswered(pool, log, stopped.signal),
    stop: async () => {
      stopped.abort();
      await pool.end();
    },
  };
};
