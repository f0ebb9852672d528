import { escapeIdentifier } from 'pg';
import { z } from 'zod';
import { inTransaction } from './dedicated-connection.ts';
import type { DedicatedConnection } from './dedicated-connection.ts';
import { loadStatement, query } from './statement.ts';

/** Privileges, as GRANT has them, each on a table or a function of the schema. */
export type Grants = readonly { readonly privileges: string; readonly on: string }[];

const facts = loadStatement(
  new URL('./role-facts.sql', import.meta.url),
  z.object({ exists: z.boolean(), is_owner: z.boolean(), is_mighty: z.boolean() }),
);
const here = {
  name: 'schema',
  text: 'select current_schema() as schema',
  row: z.object({ schema: z.string() }),
};

/** Why a role cannot be given a part of the owner's rights; empty: it can. */
const problemOf = async ({ db }: DedicatedConnection, role: string): Promise<string> => {
  const [found] = await query(db, facts, [role]);
  if (found?.exists !== true) return `the role ${role} does not exist: create it first`;
  if (found.is_owner) return `the role ${role} owns the ledger or may act as its owner: name another one`;
  if (found.is_mighty)
    return `the role ${role} may create roles, or write whatever there is: name another one`;
  return '';
};

const problemsOf = async (connection: DedicatedConnection, roles: readonly string[]): Promise<string[]> => {
  const twice = roles.filter((role, index) => roles.indexOf(role) < index);
  const problems = twice.map((role) => `the role ${role} is named twice: each part needs a role of its own`);
  for (const role of roles) problems.push(await problemOf(connection, role));
  return problems.filter((problem) => problem !== '');
};

/**
 * Gives each role exactly these rights in the schema, and takes any other from it, in one transaction. Throws, and changes nothing, when a role is
 * not there, is named twice, or could do more anyway.
 */
export const grant = async (
  connection: DedicatedConnection,
  grants: readonly (readonly [role: string, grants: Grants])[],
): Promise<void> => {
  const problems = await problemsOf(
    connection,
    grants.map(([role]) => role),
  );
  if (problems.length > 0) throw new Error(problems.join('; '));
  const [found] = await query(connection.db, here);
  const schema = escapeIdentifier(found?.schema ?? 'public');
  await inTransaction(connection, async () => {
    await connection.command(`revoke create on schema ${schema} from public`);
    for (const [name, given] of grants) {
      const role = escapeIdentifier(name);
      for (const all of ['tables', 'sequences', 'functions'])
        await connection.command(`revoke all on all ${all} in schema ${schema} from ${role}`);
      await connection.command(`grant usage on schema ${schema} to ${role}`);
      for (const { privileges, on } of given)
        await connection.command(`grant ${privileges} on ${on} to ${role}`);
    }
  });
};
