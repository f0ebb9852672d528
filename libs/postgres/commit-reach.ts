import { z } from 'zod';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { awaitFit } from './await-fit.ts';
import { loadStatement, query } from './statement.ts';
import type { Db } from './statement.ts';

const commitReach = loadStatement(
  new URL('./commit-reach.sql', import.meta.url),
  z.object({ synchronous_commit: z.string(), standby_names: z.string() }),
);

/** With these a commit is answered when a standby has it, if one is named. */
const reachesStandby: ReadonlySet<string | undefined> = new Set(['on', 'remote_write', 'remote_apply']);

/** Why a commit may be lost when the primary dies; empty: it may not. */
export const commitProblem = async (db: Db): Promise<string> => {
  const [found] = await query(db, commitReach);
  if (found?.standby_names === '')
    return 'a commit may be lost with its server: synchronous_standby_names names no standby';
  if (!reachesStandby.has(found?.synchronous_commit))
    return `a commit may be lost with its server: synchronous_commit is ${found?.synchronous_commit}, and must be on`;
  return '';
};

/** A component whose start waits until every commit reaches a standby before it is answered (D-38). */
export const awaitSynchronousCommit = ({ db, log }: { readonly db: Db; readonly log: Log }): Component => {
  const unreadable = (error: unknown): string =>
    `whether commits reach a standby cannot be read (${error instanceof Error ? error.message : String(error)})`;
  return awaitFit({ name: 'synchronous commit', problem: () => commitProblem(db).catch(unreadable), log });
};
