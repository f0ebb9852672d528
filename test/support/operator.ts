import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { operatorRoles } from '#libs/contracts/operators.ts';
import { newOperatorKey } from '../../deploy/operations/keys/new-keys.ts';
import type { OperatorKeyOrder } from '../../deploy/operations/keys/new-keys.ts';

/** An operator's key, whose Operator is written into a catalog folder. */
export const addOperator = (
  folder: string,
  order: Pick<OperatorKeyOrder, 'name'> & Partial<OperatorKeyOrder>,
): string => {
  const { key, stored } = newOperatorKey({
    roles: operatorRoles,
    env: 'dev',
    randomBytes: randomBytes(40),
    ...order,
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${order.name}.yaml`), stringify(stored));
  return key;
};

/** A folder that goes with the suite's stack; without one with this process, whose end a test would never hear of. */
const newFolder = (): string => {
  const { GSB_STACK: stack } = process.env;
  const folder = mkdtempSync(join(stack ? dirname(stack) : tmpdir(), 'gsb-operators-'));
  if (!stack) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** The environment of a command that an operator with these roles runs; all roles by default. */
export const operatorEnv = (order: Partial<OperatorKeyOrder> = {}): Record<string, string> => {
  const folder = newFolder();
  return { CATALOG_DIR: folder, OPERATOR_KEY: addOperator(folder, { name: 'tester', ...order }) };
};
