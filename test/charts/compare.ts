import { called } from './objects.ts';
import type { KubernetesObject } from './objects.ts';

const identity = (item: unknown, index: number): string => {
  const { name, topologyKey } = (item ?? {}) as { name?: unknown; topologyKey?: unknown };
  const id = name ?? topologyKey;
  return typeof id === 'string' ? id : String(index);
};

const leaves = (value: unknown, path: string): [string, string][] => {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item, index) => leaves(item, `${path}[${identity(item, index)}]`));
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, inner]) =>
      leaves(inner, path === '' ? name : `${path}.${name}`),
    );
  return [[path, JSON.stringify(value) ?? 'null']];
};

const byName = (objects: readonly KubernetesObject[]) =>
  new Map(objects.map((object) => [called(object), new Map(leaves(object, ''))]));

const lineOf = (path: string, was: string | undefined, is: string | undefined): string => {
  if (was === undefined) return `    + ${path}: ${is ?? ''}`;
  return is === undefined ? `    - ${path}: ${was}` : `    ~ ${path}: ${was} → ${is}`;
};

const changes = (was: ReadonlyMap<string, string>, is: ReadonlyMap<string, string>): string[] =>
  [...new Set([...was.keys(), ...is.keys()])]
    .filter((path) => was.get(path) !== is.get(path))
    .map((path) => lineOf(path, was.get(path), is.get(path)));

const empty: ReadonlyMap<string, string> = new Map();

/** What is different in a second render, object by object and field by field; the order of things is no difference. */
export const differences = (
  first: readonly KubernetesObject[],
  second: readonly KubernetesObject[],
): string[] => {
  const [before, after] = [byName(first), byName(second)];
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    const lines = changes(was ?? empty, is ?? empty);
    if (lines.length === 0) return [];
    const sign = was === undefined ? '+' : is === undefined ? '-' : '~';
    return [`${sign} ${name}`, ...(is === undefined ? [] : lines)];
  });
};
