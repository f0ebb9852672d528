import { Client } from 'pg';
import type { Pool } from 'pg';
import { asUnavailable } from './statement.ts';
import type { Db } from './statement.ts';

const connectTimeoutMs = 5_000;
/** A closing waits for the partner in its transaction; one that waits longer has lost its process. */
const idleInTransactionMs = 300_000;

/** One connection: for a command that runs to its end, or for work whose locks and cursors belong to one connection. */
export interface DedicatedConnection {
  readonly db: Db;
  /** Runs a command without parameters and rows: a lock, the beginning or the end of a transaction. */
  command(text: string): Promise<void>;
  end(): Promise<void>;
}

/** How long the connection waits for a lock, and for a statement, in ms. */
export interface ConnectionLimits {
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

/** Opens a connection. Rejects UNAVAILABLE when Postgres is away. */
export const openConnection = async (
  url: string,
  { lockTimeoutMs, statementTimeoutMs }: ConnectionLimits,
): Promise<DedicatedConnection> => {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  });
  // A connection that breaks rejects the running statement; without a listener it would end the process as well.
  client.on('error', () => undefined);
  const failed = (error: unknown): never => {
    throw asUnavailable(error);
  };
  await client.connect().catch(failed);
  return {
    db: client,
    command: async (text) => {
      await client.query(text).catch(failed);
    },
    end: () => client.end(),
  };
};

const giveBack = 'reset lock_timeout; reset statement_timeout; select pg_advisory_unlock_all()';

/**
 * Borrows a connection of the pool, for work with limits of its own; `end` gives it back without the locks that it still holds, or closes one
 * that has broken. Rejects UNAVAILABLE when Postgres is away, or no connection becomes free in time.
 */
export const borrowConnection = async (
  pool: Pool,
  { lockTimeoutMs, statementTimeoutMs }: ConnectionLimits,
): Promise<DedicatedConnection> => {
  const failed = (error: unknown): never => {
    throw asUnavailable(error);
  };
  const client = await pool.connect().catch(failed);
  const ignore = () => undefined;
  // A lent connection that breaks rejects the running statement; without a listener it would end the process as well.
  client.on('error', ignore);
  const bounded = { query_timeout: statementTimeoutMs + 1_000 };
  const command = async (text: string): Promise<void> => {
    await client.query({ text, ...bounded }).catch(failed);
  };
  const end = async (): Promise<void> => {
    const broken = await command(giveBack).then(
      () => false,
      () => true,
    );
    client.off('error', ignore);
    client.release(broken);
  };
  await command(`set lock_timeout = ${lockTimeoutMs}; set statement_timeout = ${statementTimeoutMs}`).catch(
    async (error: unknown) => {
      await end();
      throw error;
    },
  );
  return { db: { query: (statement) => client.query({ ...statement, ...bounded }) }, command, end };
};

/** Does the work in one repeatable-read transaction, rolled back when the work throws, and at its end unless it is to be committed. */
export const inTransaction = async <T>(
  { command }: DedicatedConnection,
  work: () => Promise<T>,
  { commit }: { commit: boolean } = { commit: true },
): Promise<T> => {
  await command('begin isolation level repeatable read');
  try {
    const result = await work();
    await command(commit ? 'commit' : 'rollback');
    return result;
  } catch (error) {
    await command('rollback').catch(() => undefined);
    throw error;
  }
};
