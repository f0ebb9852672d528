import { z } from 'zod';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { awaitFit } from './await-fit.ts';
import { compareRights, effectiveRightsOf } from './rights.ts';
import type { Grants } from './rights.ts';
import { query } from './statement.ts';
import type { Db } from './statement.ts';

/** A migration that runs beside the start gives the rights within seconds. */
const questions = 30;

const whoWeAre = {
  ...{ name: 'who-we-are', text: 'select current_user::text as role' },
  row: z.object({ role: z.string() }),
};

interface RightsOptions {
  readonly db: Db;
  /** What the role is for, in one word. */
  readonly part: string;
  readonly grants: Grants;
  readonly log: Log;
  /** How often the rights may be found lacking. */
  readonly patience?: number;
}

/** What the role that a pool signs in as lacks, as a sentence; empty: nothing. */
export const lackingRights = async ({
  db,
  part,
  grants,
}: Omit<RightsOptions, 'log' | 'patience'>): Promise<string> => {
  const [found] = await query(db, whoWeAre);
  const role = found?.role ?? '';
  const { lacking } = compareRights({ role, grants }, await effectiveRightsOf(db, role));
  return lacking.length === 0
    ? ''
    : `${lacking.join('; ')}: the ledger's ${part} needs it, and a migration that names the role gives it`;
};

/** A component whose start waits half a minute for the rights of the role that a pool signs in as, and then fails with what is missing (D-53). */
export const awaitRights = ({ log, patience = questions, ...asked }: RightsOptions): Component => {
  const unreadable = (error: unknown): string =>
    `what the ledger's ${asked.part} may do cannot be read (${error instanceof Error ? error.message : String(error)})`;
  const problem = () => lackingRights(asked).catch(unreadable);
  return awaitFit({ name: `rights (${asked.part})`, problem, log, patience });
};
