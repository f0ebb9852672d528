import { z } from 'zod';
import { loadStatement, query } from './statement.ts';
import type { Db } from './statement.ts';

/** Privileges, as GRANT has them, each on a table or a function of the schema. */
export type Grants = readonly { readonly privileges: string; readonly on: string }[];

/** A right as GRANT has it, such as `select (game_session_id) on table entries`, and the role that one who has it not itself is a member of. */
export interface Right {
  readonly privilege: string;
  readonly memberOf: string | null;
}

const effectiveRights = loadStatement(
  new URL('./effective-rights.sql', import.meta.url),
  z.object({ privilege: z.string(), member_of: z.string().nullable() }),
);

/** What a role may do with the ledger, however it came to it. */
export const effectiveRightsOf = async (db: Db, role: string): Promise<Right[]> =>
  (await query(db, effectiveRights, [role])).map(({ privilege, member_of: memberOf }) => ({
    privilege,
    memberOf,
  }));

/** The privileges of grants one by one: `select, insert (a, b)` are three. */
const oneByOne = ({ privileges, on }: Grants[number]): string[] =>
  [...privileges.matchAll(/(\w+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege = '', columns]) =>
    columns === undefined
      ? [`${privilege} on ${on}`]
      : columns.split(/, */).map((column) => `${privilege} (${column}) on ${on}`),
  );

/** What a role has and does not need, and what it lacks: sentences that name the role and the right. */
export const compareRights = (
  { role, grants }: { readonly role: string; readonly grants: Grants },
  rights: readonly Right[],
): { readonly surplus: string[]; readonly lacking: string[] } => {
  const needed = new Set(grants.flatMap(oneByOne));
  const had = new Set(rights.map(({ privilege }) => privilege));
  /** Whoever has a right to a whole table has it to each of its columns. */
  const isHad = (each: string): boolean => had.has(each) || had.has(each.replace(/ \([^)]*\) on /, ' on '));
  const isUsage = ({ privilege }: Right): boolean => privilege.startsWith('usage on schema ');
  const usesSchema = rights.some(isUsage);
  const surplus = rights.filter((right) => !needed.has(right.privilege) && !isUsage(right));
  return {
    surplus: surplus.map(
      ({ privilege, memberOf }) =>
        `the role ${role} has ${privilege}${memberOf === null ? '' : `, as a member of ${memberOf}`}`,
    ),
    lacking: usesSchema
      ? [...needed].filter((each) => !isHad(each)).map((each) => `the role ${role} lacks ${each}`)
      : [`the role ${role} lacks usage on the ledger's schema`],
  };
};
