import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { unavailable } from '#libs/contracts/errors.ts';
import { isDenied, sqlStateOf } from './denied.ts';

/**
 * Anything that runs a statement: a pool, or one connection. Its name is for people and metrics: Postgres prepares nothing under it, which
 * would belong to one connection, and a pooler lends many of them.
 */
export interface Db {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/** An SQL statement, planned for each call; `row` is the schema of one row. */
export interface Statement<S extends z.ZodType> {
  readonly name: string;
  readonly text: string;
  readonly row: S;
}

const dataErrors = /^(22|23|42)/;

/**
 * What an error of the driver means: UNAVAILABLE when Postgres is away, a lock timed out or it refuses who asks, since a right may be given any
 * moment, and nothing must be given up for it; an error in the data stays what it is.
 */
export const asUnavailable = (error: unknown): unknown =>
  dataErrors.test(String(sqlStateOf(error))) && !isDenied(error) ? error : unavailable(error);

/** Runs a statement and parses its rows; parameters by position. Throws UNAVAILABLE when Postgres is away or a lock timed out. */
export const query = async <S extends z.ZodType>(
  db: Db,
  { name, text, row }: Statement<S>,
  params: readonly unknown[] = [],
): Promise<z.output<S>[]> => {
  const { rows } = await db.query({ name, text, values: [...params] }).catch((error: unknown) => {
    throw asUnavailable(error);
  });
  return rows.map((each) => row.parse(each));
};

/** Loads the one statement of an .sql file; its name is the file's. */
export const loadStatement = <S extends z.ZodType>(file: URL, row: S): Statement<S> => {
  const name = file.pathname.slice(file.pathname.lastIndexOf('/') + 1);
  return { name, text: readFileSync(file, 'utf8'), row };
};

/**
 * Loads an .sql file of several statements, each below its own line `-- name: …`; `rows` has the schema of a row of each, in the order of the
 * file. Throws when the file has other statements.
 */
export const loadStatements = <R extends Readonly<Record<string, z.ZodType>>>(
  file: URL,
  rows: R,
): { readonly [N in keyof R]: Statement<R[N]> } => {
  const [, ...sections] = readFileSync(file, 'utf8').split(/^-- name: /m);
  const statements = sections.map((section) => {
    const [name = ''] = section.split('\n', 1);
    return { name, text: section.slice(name.length), row: rows[name] };
  });
  const found = statements.map(({ name }) => name).join();
  if (found !== Object.keys(rows).join()) throw new Error(`${file.pathname} has other statements: ${found}`);
  return Object.fromEntries(statements.map((each) => [each.name, each])) as {
    readonly [N in keyof R]: Statement<R[N]>;
  };
};
