import type { Pool } from 'pg';
import { localLimits } from './dedicated-connection.ts';
import type { Db } from './statement.ts';

/** Of each statement, in ms. */
interface StatementLimits {
  readonly statementTimeoutMs: number;
  readonly idleInTransactionMs: number;
}

/**
 * Statements through a pooler that lends its connections for a transaction (PgBouncer, pool_mode=transaction): each is a transaction of its own,
 * which brings its limits along. The pooler takes no settings with a sign-in, and would give a setting of the session to whoever is next.
 */
export const inTransactionsOfTheirOwn = (
  pool: Pool,
  { statementTimeoutMs, idleInTransactionMs }: StatementLimits,
): Db => {
  const begin = `begin; ${localLimits({ statementTimeoutMs }, idleInTransactionMs)}`;
  const ignore = () => undefined;
  return {
    query: async ({ text, values }) => {
      const client = await pool.connect();
      // A connection that breaks rejects the running statement; without a listener it would end the process as well.
      client.on('error', ignore);
      let failed = true;
      try {
        await client.query(begin);
        const result = await client.query({ text, values });
        await client.query('commit');
        failed = false;
        return result;
      } finally {
        client.off('error', ignore);
        // What a failed one has open ends with its connection, which costs the pooler nothing.
        client.release(failed);
      }
    },
  };
};
