import { z } from 'zod';

/** What an operator may do (D-40): read the ledger; read the story of a session (D-50); close a day and prove it by replay; read, replay and erase dead letters; agree to a mass expiry. */
export const operatorRoles = [
  'statements:read',
  'sessions:read',
  'close-day',
  'dead-letters',
  'sweeper:agree',
] as const;

/** One of `operatorRoles`. */
export const operatorRole = z.enum(operatorRoles);

/** The name of a role. */
export type OperatorRole = z.output<typeof operatorRole>;

/** An operator's name, which is also the name of its Kubernetes object. */
export const operatorName = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and dashes');
