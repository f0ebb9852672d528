import { Client } from 'pg';
import { asUnavailable } from './statement.ts';
import type { Db } from './statement.ts';

const connectTimeoutMs = 5_000;

/** One connection for a program that runs to its end, or for a piece of work that needs the same connection throughout. */
export interface DedicatedConnection {
  readonly db: Db;
  /** Runs a command that takes no parameters and returns nothing: a lock, a setting, the limits of a transaction. */
  command(text: string): Promise<void>;
  end(): Promise<void>;
}

/** How long the session waits for a lock, and for a statement, in ms. */
export interface ConnectionLimits {
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

const settings = ({ lockTimeoutMs, statementTimeoutMs }: ConnectionLimits) => ({
  connectionTimeoutMillis: connectTimeoutMs,
  lock_timeout: lockTimeoutMs,
  statement_timeout: statementTimeoutMs,
});

/** Opens a connection of its own; `schema` is looked in instead of the database's usual ones. Rejects UNAVAILABLE when Postgres is away. */
export const openConnection = async (
  url: string,
  limits: ConnectionLimits,
  schema?: string,
): Promise<DedicatedConnection> => {
  const options = schema === undefined ? {} : { options: `-c search_path=${schema}` };
  const client = new Client({ connectionString: url, ...settings(limits), ...options });
  // A connection that breaks rejects the statement in hand; without a listener it would end the process as well.
  client.on('error', () => undefined);
  const known = (error: unknown): never => {
    throw asUnavailable(error);
  };
  await client.connect().catch(known);
  return {
    db: client,
    command: async (text) => {
      await client.query(text).catch(known);
    },
    end: () => client.end(),
  };
};

/** Does the work in one transaction, of which nothing stays when it throws. `keep: false` looks, and takes everything back. */
export const inTransaction = async <T>(
  session: DedicatedConnection,
  work: () => Promise<T>,
  { keep }: { keep: boolean } = { keep: true },
): Promise<T> => {
  await session.command('begin isolation level repeatable read');
  try {
    const result = await work();
    await session.command(keep ? 'commit' : 'rollback');
    return result;
  } catch (error) {
    await session.command('rollback').catch(() => undefined);
    throw error;
  }
};
