import { Client } from 'pg';
import { asUnavailable } from './statement.ts';
import type { Db } from './statement.ts';

const connectTimeoutMs = 5_000;

/** One connection outside the pool: for a command that runs to its end, or for work whose locks and cursors belong to one connection. */
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

/** Opens a connection; `schema` replaces the database's usual search path. Rejects UNAVAILABLE when Postgres is away. */
export const openConnection = async (
  url: string,
  { lockTimeoutMs, statementTimeoutMs }: ConnectionLimits,
  schema?: string,
): Promise<DedicatedConnection> => {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    ...(schema !== undefined && { options: `-c search_path=${schema}` }),
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
