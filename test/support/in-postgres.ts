import { Client } from 'pg';
import type { QueryResult, QueryResultRow } from 'pg';

/** Runs a statement over a connection of its own, as whoever the URL names. */
export const inPostgres = async <R extends QueryResultRow>(
  url: string,
  text: string,
): Promise<QueryResult<R>> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client.query<R>(text).finally(() => client.end());
};
