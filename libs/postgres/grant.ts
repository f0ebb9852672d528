import { escapeIdentifier } from 'pg';
import { z } from 'zod';
import { inTransaction } from './dedicated-connection.ts';
import type { DedicatedConnection } from './dedicated-connection.ts';
import { compareRights, effectiveRightsOf } from './rights.ts';
import type { Grants } from './rights.ts';
import { loadStatement, query } from './statement.ts';

const facts = loadStatement(
  new URL('./role-facts.sql', import.meta.url),
  z.object({ exists: z.boolean(), is_owner: z.boolean(), mights: z.array(z.string()) }),
);
const ownedObjects = loadStatement(
  new URL('./owned-objects.sql', import.meta.url),
  z.object({ kind: z.enum(['table', 'sequence', 'routine']), names: z.string() }),
);
const here = {
  name: 'here',
  text: 'select current_schema() as schema, current_database() as database',
  row: z.object({ schema: z.string(), database: z.string() }),
};

/** Why a role cannot be given a part of the owner's rights; empty: it can. */
const problemOf = async ({ db }: DedicatedConnection, role: string): Promise<string> => {
  const [found] = await query(db, facts, [role]);
  if (found?.exists !== true) return `the role ${role} does not exist: create it first`;
  if (found.is_owner) return `the role ${role} owns the ledger or may act as its owner: name another one`;
  if (found.mights.length > 0) return `the role ${role} ${found.mights.join(' and ')}: name another one`;
  return '';
};

const throwIfAny = (problems: readonly string[]): void => {
  if (problems.length > 0) throw new Error(problems.join('; '));
};

/** Throws when a role is not there, is named twice, or could do more than it can be given, by itself or by a role that it is a member of. */
export const checkRoles = async (
  connection: DedicatedConnection,
  roles: readonly string[],
): Promise<void> => {
  const twice = roles.filter((role, index) => roles.indexOf(role) < index);
  const problems = twice.map((role) => `the role ${role} is named twice: each part needs a role of its own`);
  for (const role of roles) problems.push(await problemOf(connection, role));
  throwIfAny(problems.filter((problem) => problem !== ''));
};

/** Takes every right in the schema from the roles and from everybody, as far as it is the owner's to take. */
const revokeAll = async ({ db, command }: DedicatedConnection, roles: readonly string[]): Promise<void> => {
  const [found] = await query(db, here);
  const schema = escapeIdentifier(found?.schema ?? 'public');
  const from = ['public', ...roles.map(escapeIdentifier)].join(', ');
  await command(`revoke create on schema ${schema} from ${from} cascade`);
  await command(`revoke create on database ${escapeIdentifier(found?.database ?? '')} from ${from} cascade`);
  for (const { kind, names } of await query(db, ownedObjects))
    await command(`revoke all on ${kind} ${names} from ${from} cascade`);
  await command(`grant usage on schema ${schema} to ${roles.map(escapeIdentifier).join(', ')}`);
};

/** What a role can do more than these grants say, or less. */
const wrongRights = async ({ db }: DedicatedConnection, role: string, grants: Grants): Promise<string[]> => {
  const { surplus, lacking } = compareRights({ role, grants }, await effectiveRightsOf(db, role));
  return [
    ...surplus.map((each) => `${each}, which is not its part, and the migration cannot take it: revoke it`),
    ...lacking.map((each) => `${each}, which the migration cannot give`),
  ];
};

/**
 * Gives each role exactly these rights in the schema, and takes any other from it and from PUBLIC, in one transaction. Throws, and changes nothing,
 * when a role is not there, is named twice, or has a right that cannot be taken from it.
 */
export const grant = async (
  connection: DedicatedConnection,
  grants: readonly (readonly [role: string, grants: Grants])[],
): Promise<void> => {
  const roles = grants.map(([role]) => role);
  await checkRoles(connection, roles);
  await inTransaction(connection, async () => {
    await revokeAll(connection, roles);
    for (const [role, given] of grants) {
      for (const { privileges, on } of given)
        await connection.command(`grant ${privileges} on ${on} to ${escapeIdentifier(role)}`);
    }
    const wrong: string[] = [];
    for (const [role, given] of grants) wrong.push(...(await wrongRights(connection, role, given)));
    throwIfAny(wrong);
  });
};
