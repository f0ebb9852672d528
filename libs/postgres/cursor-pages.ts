import type { z } from 'zod';
import type { DedicatedConnection } from './dedicated-connection.ts';
import { asUnavailable } from './statement.ts';

interface Paged<S extends z.ZodType> {
  readonly name: string;
  readonly text: string;
  readonly params: readonly unknown[];
  readonly row: S;
  readonly size: number;
}

/** The rows of a statement, some at a time, by a cursor of the open transaction: however many there are, memory holds one page. */
export async function* pages<S extends z.ZodType>(
  { db, command }: DedicatedConnection,
  { name, text, params, row, size }: Paged<S>,
): AsyncGenerator<z.output<S>[]> {
  const cursor = name.replace(/\W/g, '_');
  const query = (text: string, values: unknown[]) =>
    db.query({ name: '', text, values }).catch((error: unknown) => {
      throw asUnavailable(error);
    });
  await query(`declare ${cursor} no scroll cursor for ${text}`, [...params]);
  for (;;) {
    const fetched = await query(`fetch ${size} from ${cursor}`, []);
    if (fetched.rows.length > 0) yield fetched.rows.map((each) => row.parse(each));
    if (fetched.rows.length < size) break;
  }
  await command(`close ${cursor}`);
}
