/**
 * What Postgres answers whom it does not let: a right is lacking (42501), a login is wrong or not taken (28P01, 28000), or the table, function,
 * schema or database is not there, which is also the answer to who may not use its schema (42P01, 42883, 3F000, 3D000).
 */
const denials: ReadonlySet<unknown> = new Set([
  '42501',
  '28P01',
  '28000',
  '42P01',
  '42883',
  '3F000',
  '3D000',
]);

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The SQLSTATE of an error of the driver, or of the one that caused it. */
export const sqlStateOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : codeOf(error);

/** Whether Postgres answers and refuses, which waiting does not mend. */
export const isDenied = (error: unknown): boolean => denials.has(sqlStateOf(error));
