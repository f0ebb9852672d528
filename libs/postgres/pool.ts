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
/** Reading has more connections: a slow reader of a statement has one only for a page, a preview for as long as it takes. */
const maxConnections = { read: 8, write: 4 };
const firstPauseMs = 100;
const maxPauseMs = 1_000;

/** Who signs in, where that is somebody else than the URL and the environment say; both may hold any characters. */
export interface PostgresLogin {
  readonly user: string;
  readonly password: string;
}

interface PostgresOptions {
  readonly url: string;
  readonly login?: PostgresLogin | undefined;
  /** What the pool is for: its label in the metrics. */
  readonly use: 'read' | 'write';
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
const measureConnections = (pool: Pool, { use, metrics }: PostgresOptions): void => {
  const connections = metrics.gauge('gsb_postgres_pool_connections');
  metrics.beforeText(() => {
    const { totalCount, idleCount, waitingCount } = pool;
    connections.set({ use, state: 'busy' }, totalCount - idleCount);
    connections.set({ use, state: 'idle' }, idleCount);
    connections.set({ use, state: 'waiting' }, waitingCount);
  });
};

/** The URL with a login, each part escaped as a whole: what a URL names goes before all other settings of pg. */
const withLogin = (text: string, login: PostgresLogin | undefined): string => {
  if (login === undefined) return text;
  const found = new URL(text);
  found.username = encodeURIComponent(login.user);
  found.password = encodeURIComponent(login.password);
  return found.href;
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
export const connectPostgres = (options: PostgresOptions): PostgresPool => {
  const { url, login, log, metrics, use } = options;
  const pool = new Pool({
    connectionString: withLogin(url, login),
    max: maxConnections[use],
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
    // A generic plan, kept for the pages of any day, would read the whole table for each of them.
    options: '-c plan_cache_mode=force_custom_plan',
  });
  const stopped = new AbortController();
  measureConnections(pool, options);
  pool.on('error', (error) => log.warn({ error }, 'an idle postgres connection failed'));
  return {
    name: `postgres (${use})`,
    db: measured(pool, metrics),
    borrow: (limits) => borrowConnection(pool, limits),
    start: () => untilAnswered(pool, log, stopped.signal),
    stop: async () => {
      stopped.abort();
      await pool.end();
    },
  };
};
