import { Socket } from 'node:net';
import { Client } from 'pg';
import type { Pool } from 'pg';
import { withDeadline } from '#libs/runtime/wait.ts';
import { asUnavailable } from './statement.ts';
import type { Db } from './statement.ts';

const connectTimeoutMs = 5_000;
/** Postgres ends a statement itself; one that has not ended by so long after that was lost with its server. */
const answerSlackMs = 1_000;
/** Postgres closes a connection at once. */
const goodbyeMs = 1_000;
/** A server that has vanished is found out this long after its last word, and ten questions a second apart (libuv). */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
/** A closing waits for the partner in its transaction; one that waits longer has lost its process. */
const idleInTransactionMs = 300_000;
/** So often a server looks, in the middle of a statement, whether whoever asked for it is still there. */
const checkMs = 5_000;

/** One connection: for a command that runs to its end, or for work whose cursors and temporary tables belong to one transaction. */
export interface DedicatedConnection {
  readonly db: Db;
  /** Of each transaction. */
  readonly limits: ConnectionLimits;
  /** Runs a command without parameters and rows: a lock, the beginning or the end of a transaction. */
  command(text: string): Promise<void>;
  end(): Promise<void>;
}

/** How long the connection waits for a lock, and for a statement, in ms. */
export interface ConnectionLimits {
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

/** A client, and how it is cut off from a server that has vanished without a word: all that is asked of it, then or later, fails at once. */
const createClient = (url: string, limits: ConnectionLimits) => {
  const socket = new Socket();
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    stream: () => socket,
    ...keepAlive,
    lock_timeout: limits.lockTimeoutMs,
    statement_timeout: limits.statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  });
  // A connection that breaks rejects the running statement; without a listener it would end the process as well.
  client.on('error', () => undefined);
  const cutOff = () => {
    socket.destroy();
    return new Error('Postgres does not answer');
  };
  return { client, cutOff };
};

/**
 * Opens a connection. Rejects UNAVAILABLE when Postgres is away. Nothing waits longer on it than its limits and a second, whether or not the
 * server lives; its `end` never rejects.
 */
export const openConnection = async (url: string, limits: ConnectionLimits): Promise<DedicatedConnection> => {
  const { client, cutOff } = createClient(url, limits);
  const answered = <T>(asked: Promise<T>) =>
    withDeadline(asked, limits.statementTimeoutMs + answerSlackMs, cutOff);
  const failed = (error: unknown): never => {
    throw asUnavailable(error);
  };
  await client.connect().catch(failed);
  return {
    db: { query: ({ text, values }) => answered(client.query({ text, values })) },
    limits,
    command: async (text) => {
      await answered(client.query(text)).catch(failed);
    },
    end: () => withDeadline(client.end(), goodbyeMs, cutOff).catch(() => undefined),
  };
};

/**
 * Borrows a connection of the pool for transactions with limits of their own; `end` gives it back, or closes one that has broken. It may be lent
 * for each transaction anew by a pooler: nothing is to be left on it between two. Rejects UNAVAILABLE when Postgres is away, or no connection
 * becomes free in time.
 */
export const borrowConnection = async (
  pool: Pool,
  limits: ConnectionLimits,
): Promise<DedicatedConnection> => {
  const failed = (error: unknown): never => {
    throw asUnavailable(error);
  };
  const client = await pool.connect().catch(failed);
  const ignore = () => undefined;
  // A lent connection that breaks rejects the running statement; without a listener it would end the process as well.
  client.on('error', ignore);
  const bounded = { query_timeout: limits.statementTimeoutMs + answerSlackMs };
  const command = async (text: string): Promise<void> => {
    await client.query({ text, ...bounded }).catch(failed);
  };
  const end = async (): Promise<void> => {
    const broken = await command('select').then(
      () => false,
      () => true,
    );
    client.off('error', ignore);
    client.release(broken);
  };
  const query: Db['query'] = ({ text, values }) => client.query({ text, values, ...bounded });
  return { db: { query }, limits, command, end };
};

/** Settings that end with their transaction, so that whoever has the connection next does not find them. */
export const localLimits = (
  { lockTimeoutMs, statementTimeoutMs }: Partial<ConnectionLimits>,
  idleMs = idleInTransactionMs,
): string =>
  Object.entries({
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleMs,
  })
    .flatMap(([name, ms]) => (ms === undefined ? [] : [`set local ${name} = ${ms}`]))
    .join('; ');

/** Does the work in one repeatable-read transaction, rolled back when the work throws, and at its end unless it is to be committed. */
export const inTransaction = async <T>(
  { command, limits }: DedicatedConnection,
  work: () => Promise<T>,
  { commit }: { commit: boolean } = { commit: true },
): Promise<T> => {
  const settings = `${localLimits(limits)}; set local client_connection_check_interval = ${checkMs}`;
  await command(`begin isolation level repeatable read; ${settings}`);
  try {
    const result = await work();
    await command(commit ? 'commit' : 'rollback');
    return result;
  } catch (error) {
    await command('rollback').catch(() => undefined);
    throw error;
  }
};
