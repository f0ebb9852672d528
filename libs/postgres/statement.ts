import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { unavailable } from '#libs/contracts/errors.ts';

/** Anything that runs a prepared statement. */
export interface Db {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/** A statement, ready to run: parameters by position, rows parsed. */
export type Statement<S extends z.ZodType> = (db: Db, params: readonly unknown[]) => Promise<z.output<S>[]>;

const dataErrors = /^(22|23|42)/;

/** What an error of the driver means: UNAVAILABLE when Postgres is away or a lock was not to be had; an error in the data stays what it is. */
export const asUnavailable = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return dataErrors.test(code) ? error : unavailable(error);
};

interface StatementFile<S> {
  readonly file: URL;
  readonly row: S;
  /** Planned for each call, where the best plan depends on the values: a page of a long list, which an index leads to. */
  readonly plannedEachTime?: boolean;
}

/** Loads one .sql file beside its wrapper. Throws UNAVAILABLE when Postgres is away; an error in the data stays what it is. */
export const loadStatement = <S extends z.ZodType>({
  file,
  row,
  plannedEachTime = false,
}: StatementFile<S>): Statement<S> => {
  const text = readFileSync(file, 'utf8');
  const name = plannedEachTime ? '' : file.pathname.slice(file.pathname.lastIndexOf('/') + 1);
  const run = async (db: Db, params: readonly unknown[]) => {
    try {
      return (await db.query({ name, text, values: [...params] })).rows;
    } catch (error) {
      throw asUnavailable(error);
    }
  };
  return async (db, params) => (await run(db, params)).map((each) => row.parse(each));
};
