import { Client, Pool } from 'pg';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { onceAMinute } from '#libs/runtime/once-a-minute.ts';
import type { Component } from '#libs/runtime/service.ts';
import { exponentialBackoffMs, sleep } from '#libs/runtime/wait.ts';
import { borrowConnection } from './dedicated-connection.ts';
import type { ConnectionLimits, DedicatedConnection } from './dedicated-connection.ts';
import { isDenied } from './denied.ts';
import type { Db } from './statement.ts';
import { inTransactionsOfTheirOwn } from './transaction-pooling.ts';

const connectTimeoutMs = 2_000;
const statementTimeoutMs = 5_000;
/** What a transaction that sleeps would hold is let go. */
const idleInTransactionMs = 30_000;
/** Connections of a pool. Reading has more: a slow reader of a statement has one only for a page, a preview for as long as it takes. */
export const maxConnections = { read: 8, write: 4, replica: 8 };
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
  readonly use: 'read' | 'write' | 'replica';
  /** Whether the address is that of a pooler, which lends its connections for a transaction. */
  readonly pooled?: boolean;
  /** Whether its start waits for the server; where nothing else depends on it, what is asked of it fails until it is there. */
  readonly waits?: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The URL with a login, each part escaped as a whole: what a URL names goes before all other settings of pg. */
const withLogin = (text: string, login: PostgresLogin | undefined): string => {
  if (login === undefined) return text;
  const found = new URL(text);
  found.username = encodeURIComponent(login.user);
  found.password = encodeURIComponent(login.password);
  return found.href;
};

/** Whom the pool signs in as; '': nobody is named. */
const roleOf = ({ url, login }: PostgresOptions): string =>
  new Client({ connectionString: withLogin(url, login) }).user ?? '';

/** The pool, with the duration and outcome of every statement measured under its name. What Postgres refuses is said once a minute. */
const measured = (send: Db['query'], options: PostgresOptions): Db => {
  const durations = options.metrics.histogram('gsb_postgres_statement_duration_seconds');
  const failed = options.metrics.counter('gsb_postgres_failed_statements_total');
  const role = roleOf(options);
  const sayDenied = onceAMinute<{ statement: string; error: unknown }>((denied, count) => {
    const why = denied.error instanceof Error ? denied.error.message : String(denied.error);
    options.log.error({ ...denied, count }, `postgres refuses the role ${role}: ${why}`);
  });
  return {
    query: async (statement) => {
      const stop = durations.startTimer({ statement: statement.name });
      try {
        const result = await send(statement);
        stop({ outcome: 'ok' });
        return result;
      } catch (error) {
        const denied = isDenied(error);
        const outcome = denied ? 'denied' : 'failed';
        stop({ outcome });
        failed.inc({ outcome });
        if (denied) sayDenied(statement.name, { statement: statement.name, error });
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

const signIn = { name: 'sign-in', text: 'select 1', values: [] };

/** Waits for a server that is away, or starts itself, or does not let us in. */
const untilAnswered = async (db: Db, log: Log, signal: AbortSignal): Promise<void> => {
  const ask = (attempt: number): Promise<boolean> =>
    db.query(signIn).then(
      () => true,
      (error: unknown) => {
        if (!isDenied(error)) log.warn({ error, attempt }, 'postgres does not answer; trying again');
        return false;
      },
    );
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    if (await ask(attempt)) return;
    await sleep(exponentialBackoffMs(attempt, firstPauseMs, maxPauseMs), signal);
  }
};

/** A pool of connections as a component. `borrow`: one of them for work of its own. */
export type PostgresPool = Component & {
  readonly db: Db;
  borrow(limits: ConnectionLimits): Promise<DedicatedConnection>;
};

/** The limits of each statement, told at the sign-in: to Postgres itself. */
const atSignIn = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
};

/** A pool of connections as a component of a service, which starts when the server answers; every statement has a timeout. */
export const connectPostgres = (options: PostgresOptions): PostgresPool => {
  const { url, login, log, use, pooled = false, waits = true } = options;
  const pool = new Pool({
    connectionString: withLogin(url, login),
    max: maxConnections[use],
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
    ...(!pooled && atSignIn),
  });
  const stopped = new AbortController();
  const direct: Db = { query: ({ text, values }) => pool.query({ text, values }) };
  const { query: send } = pooled
    ? inTransactionsOfTheirOwn(pool, { statementTimeoutMs, idleInTransactionMs })
    : direct;
  const db = measured(send, options);
  measureConnections(pool, options);
  pool.on('error', (error) => log.warn({ error }, 'an idle postgres connection failed'));
  return {
    name: `postgres (${use})`,
    db,
    borrow: (limits) => borrowConnection(pool, limits),
    start: async () => (waits ? untilAnswered(db, log, stopped.signal) : undefined),
    stop: async () => {
      stopped.abort();
      await pool.end();
    },
  };
};
