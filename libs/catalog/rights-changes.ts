import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import type { CatalogObject } from './catalog-objects.ts';

type OperatorObject = Extract<CatalogObject, { kind: 'Operator' }>;

const listed = (name: string, values: readonly string[] | undefined): string[] =>
  values === undefined ? [] : [`${name}: ${[...values].sort().join(' ')}`];

/** What an operator may, in words: `roles: close-day statements:read, cafes: cafe-1`. */
const rightsOf = ({ spec: { roles, cafes, games } }: OperatorObject): string =>
  [...listed('roles', roles), ...listed('cafes', cafes), ...listed('games', games)].join(', ');

interface RightsChangesOptions {
  readonly objects: () => readonly CatalogObject[];
  readonly note: NoteSecurity;
}

/**
 * Notes what operators may from now on, and what they might before (D-47): of one that comes only the former, of one that goes only the
 * latter. Those that were there at the start have not come. Returns the function that looks.
 */
export const createRightsChanges = ({ objects, note }: RightsChangesOptions): (() => void) => {
  let seen: readonly CatalogObject[] | undefined;
  let known: ReadonlyMap<string, string> = new Map();
  const compare = (now: typeof known): void => {
    for (const operator of new Set([...known.keys(), ...now.keys()])) {
      const [from, to] = [known.get(operator), now.get(operator)];
      if (from !== to) note('operator.changed', { operator, from, to });
    }
  };
  return () => {
    const current = objects();
    if (current === seen) return;
    const operators = current.filter((object) => object.kind === 'Operator');
    const now = new Map(operators.map((operator) => [operator.metadata.name, rightsOf(operator)]));
    if (seen !== undefined) compare(now);
    [seen, known] = [current, now];
  };
};
