import type { z } from 'zod';
import type { DedicatedConnection } from './dedicated-connection.ts';
import { query } from './statement.ts';
import type { Statement } from './statement.ts';

/** The rows of a statement, page by page, read by a cursor of the open transaction: memory holds one page, however many rows there are. */
export async function* cursorPages<S extends z.ZodType>(
  { db, command }: DedicatedConnection,
  { name, text, row }: Statement<S>,
  params: readonly unknown[],
  pageSize: number,
): AsyncGenerator<z.output<S>[]> {
  const cursor = name.replace(/\W/g, '_');
  const declaration = { name: '', text: `declare ${cursor} no scroll cursor for ${text}`, row };
  await query(db, declaration, params);
  for (;;) {
    const page = await query(db, { name: '', text: `fetch ${pageSize} from ${cursor}`, row });
    if (page.length > 0) yield page;
    if (page.length < pageSize) break;
  }
  await command(`close ${cursor}`);
}
