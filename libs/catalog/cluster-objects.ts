import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { claimsOf, maxLauncherKeys } from './unique-claims.ts';
import { catalogObject } from './catalog-objects.ts';
import type { CatalogObject } from './catalog-objects.ts';

/** What we read of an object of the Kubernetes API; `data` is a Secret's. */
export interface ClusterObject {
  readonly kind?: string | undefined;
  readonly metadata?: {
    readonly name?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly creationTimestamp?: unknown;
    readonly generation?: number | undefined;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/** Objects by kind and name. */
export type KnownObjects = ReadonlyMap<string, CatalogObject>;

/** What a cluster's objects come to: those that are in force, and why the others are not, both by kind and name. */
export interface Validation {
  readonly accepted: KnownObjects;
  readonly refused: ReadonlyMap<string, string>;
}

/** An object's kind and name, as messages call it. */
export const nameOf = ({ kind, metadata }: ClusterObject): string =>
  `${kind ?? '?'} ${metadata?.name ?? '?'}`;

const decodeSecret = (data: ClusterObject['data']) =>
  Object.fromEntries(
    Object.entries(data ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64').toString('utf8')]),
  );

/** The same object as a YAML document of a catalogue folder. */
const asDocument = ({ kind, metadata, spec, data }: ClusterObject): unknown =>
  kind === 'Secret'
    ? { apiVersion: 'v1', kind, metadata, stringData: decodeSecret(data) }
    : { apiVersion: 'gsb.dev/v1', kind, metadata, spec };

const createdMs = ({ metadata }: ClusterObject): number =>
  new Date(metadata?.creationTimestamp as string | Date).getTime() || 0;

const createClaims = () => {
  const claimed = new Map<string, string>();
  const keysOfCafe = new Map<string, number>();
  return {
    /** Undefined when the object may stand, and then it does. */
    clash: (name: string, object: CatalogObject): string | undefined => {
      const taken = claimsOf(object).find((claim) => claimed.has(claim));
      if (taken !== undefined) return `${taken} stands already in ${claimed.get(taken)}`;
      const cafe = object.kind === 'Secret' ? object.stringData.cafe_id : undefined;
      const count = cafe === undefined ? 0 : (keysOfCafe.get(cafe) ?? 0) + 1;
      if (cafe !== undefined && count > maxLauncherKeys) return `a third launcher key of ${cafe}`;
      if (cafe !== undefined) keysOfCafe.set(cafe, count);
      for (const claim of claimsOf(object)) claimed.set(claim, name);
      return undefined;
    },
  };
};

interface Candidate {
  readonly name: string;
  readonly createdMs: number;
  readonly wanted: CatalogObject | undefined;
  readonly before: CatalogObject | undefined;
  readonly problem: string;
}

const candidateOf = (raw: ClusterObject, known: KnownObjects): Candidate => {
  const name = nameOf(raw);
  const { data, error } = catalogObject.safeParse(asDocument(raw));
  const problem = error ? z.prettifyError(error) : '';
  return { name, createdMs: createdMs(raw), wanted: data, before: known.get(name), problem };
};

/** What stands unchanged is asked first, then the older one: nobody who plays loses a key to a newcomer that claims it too. */
const byPrecedence = (a: Candidate, b: Candidate): number => {
  const changed = ({ wanted, before }: Candidate) => (isDeepStrictEqual(wanted, before) ? 0 : 1);
  return changed(a) - changed(b) || a.createdMs - b.createdMs || a.name.localeCompare(b.name);
};

/** Reads a cluster's objects. One that is wrong or clashes with another is refused, and what was known of it stays (D-32). */
export const validateObjects = (raws: readonly ClusterObject[], known: KnownObjects): Validation => {
  const accepted = new Map<string, CatalogObject>();
  const refused = new Map<string, string>();
  const claims = createClaims();
  const candidates = raws.map((raw) => candidateOf(raw, known)).sort(byPrecedence);
  for (const { name, wanted, before, problem } of candidates) {
    const clash = wanted === undefined ? problem : claims.clash(name, wanted);
    if (clash !== undefined) refused.set(name, clash);
    if (clash === undefined && wanted !== undefined) accepted.set(name, wanted);
    else if (before !== undefined && claims.clash(name, before) === undefined) accepted.set(name, before);
  }
  return { accepted, refused };
};
