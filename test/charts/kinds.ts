import { z } from 'zod';
import { knownGaps } from './gaps.ts';
import type { Gap } from './gaps.ts';
import type { KubernetesObject } from './objects.ts';

const definitions = z.looseObject({
  items: z.array(
    z.looseObject({
      spec: z.looseObject({
        group: z.string(),
        names: z.looseObject({ kind: z.string() }),
        versions: z.array(
          z.looseObject({ name: z.string(), served: z.boolean(), schema: z.unknown().optional() }),
        ),
      }),
    }),
  ),
});

const served = (crds: string) =>
  definitions
    .parse(JSON.parse(crds))
    .items.flatMap(({ spec }) =>
      spec.versions
        .filter((version) => version.served)
        .map((version): [string, unknown] => [
          `${spec.group}/${version.name}/${spec.names.kind}`,
          version.schema,
        ]),
    );

const fieldOf = (schema: unknown, name: string): unknown =>
  (schema as { properties?: Readonly<Record<string, unknown>> } | undefined)?.properties?.[name];

const hasField = (schema: unknown, path: readonly string[]): boolean => {
  const top = (schema as { openAPIV3Schema?: unknown } | undefined)?.openAPIV3Schema;
  return path.reduce<unknown>(fieldOf, top) !== undefined;
};

const holds = (value: unknown, [name, ...rest]: readonly string[]): boolean => {
  if (name === undefined) return true;
  return typeof value === 'object' && value !== null && name in value
    ? holds((value as Record<string, unknown>)[name], rest)
    : false;
};

const without = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
  if (typeof value !== 'object' || value === null || name === undefined || !(name in value)) return value;
  const { [name]: inner, ...others } = value as Record<string, unknown>;
  return rest.length === 0 ? others : { ...others, [name]: without(inner, rest) };
};

/** What of an object can be judged, and the fields that cannot. */
export interface Judgeable {
  readonly object: KubernetesObject;
  readonly gaps: readonly Gap[];
}

/** Reads what an API server knows (`kubectl api-resources`, and its CRDs as JSON): every served version, and where a CRD lacks a field. */
export const readKinds = (resources: string, crds: string) => {
  const rows = resources.split('\n').map((line) => line.trim().split(/\s+/));
  const own = new Map(served(crds));
  const known = new Set([...own.keys(), ...rows.map((row) => `${row.at(-3) ?? ''}/${row.at(-1) ?? ''}`)]);
  const keyOf = ({ apiVersion, kind }: KubernetesObject) => `${apiVersion}/${kind}`;
  const lacks = (object: KubernetesObject, { group, kind, path }: Gap): boolean =>
    object.kind === kind &&
    object.apiVersion.startsWith(`${group}/`) &&
    !hasField(own.get(keyOf(object)), path) &&
    holds(object, path);
  return {
    knows: (object: KubernetesObject): boolean => known.has(keyOf(object)),
    judgeable: (object: KubernetesObject): Judgeable => {
      const gaps = knownGaps.filter((gap) => lacks(object, gap));
      const rest = gaps.reduce<unknown>((left, { path }) => without(left, path), object);
      return { object: rest as KubernetesObject, gaps };
    },
  };
};

/** What an API server knows. */
export type Kinds = ReturnType<typeof readKinds>;
