import { Pool } from 'pg';
import type { Log } from '#libs/runtime/log.ts';
import type { Part } from '#libs/runtime/service.ts';

const connectTimeoutMs = 2_000;
const statementTimeoutMs = 5_000;
const mostConnections = 10;

/** A pool that is a part of a service; every statement has a deadline. */
export const connectPostgres = ({ url, log }: { url: string; log: Log }): Part & { readonly pool: Pool } => {
  const pool = new Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
  });
  pool.on('error', (error) => log.warn({ error }, 'an idle postgres connection failed'));
  return {
    name: 'postgres',
    pool,
    start: async () => {
      await pool.query('select 1');
    },
    stop: () => pool.end(),
  };
};
