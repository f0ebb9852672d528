import { readdirSync } from 'node:fs';
import { z } from 'zod';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { awaitFit } from './await-fit.ts';
import { sqlStateOf } from './denied.ts';
import { loadStatement, query } from './statement.ts';
import type { Db } from './statement.ts';

const appliedMigrations = loadStatement(
  new URL('./applied-migrations.sql', import.meta.url),
  z.object({ name: z.string() }),
);

const undefinedTable = '42P01';
const isMissingTable = (error: unknown): boolean => sqlStateOf(error) === undefinedTable;

/** The migrations of a folder that a database does not have yet. */
export const missingMigrations = async (db: Db, folder: string): Promise<string[]> => {
  const applied = await query(db, appliedMigrations).catch((error: unknown) => {
    if (isMissingTable(error)) return [];
    throw error;
  });
  const known = new Set(applied.map(({ name }) => name));
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.map((file) => file.slice(0, -'.sql'.length)).filter((name) => !known.has(name));
};

interface SchemaOptions {
  readonly db: Db;
  readonly folder: string;
  readonly log: Log;
}

/** A component whose start waits until the database has every migration of a folder: the job that applies them may still be running. */
export const awaitSchema = ({ db, folder, log }: SchemaOptions): Component => {
  const problem = (): Promise<string> =>
    missingMigrations(db, folder).then(
      (names) => (names.length === 0 ? '' : `the schema lacks ${names.join(', ')}`),
      (error: unknown) =>
        `the schema cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  return awaitFit({ name: 'schema', problem, log });
};
