import type { NoteSecurity } from '#libs/runtime/security-events.ts';
import type { CatalogObject } from './catalog-objects.ts';
import { fingerprintOf } from './fingerprint.ts';

type OperatorObject = Extract<CatalogObject, { kind: 'Operator' }>;

/** A line of the log names so many; of more it tells how many, and a fingerprint by which two lists are told apart. */
const mostNamed = 20;

const named = (values: readonly string[]): string => {
  const sorted = [...values].sort();
  const more = sorted.length - mostNamed;
  const rest = more > 0 ? ` and ${more} more (${fingerprintOf(sorted.join(' '))})` : '';
  return sorted.slice(0, mostNamed).join(' ') + rest;
};

/** What an operator may, in words: `roles: close-day statements:read, cafes: cafe-1, games: all`. */
const rightsOf = ({ spec: { roles, cafes = ['all'], games = ['all'] } }: OperatorObject): string =>
  `roles: ${named(roles)}, cafes: ${named(cafes)}, games: ${named(games)}`;

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
