import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isSaidInForce } from './accepted-condition.ts';
import { createClaims } from './unique-claims.ts';
import { catalogObject } from './catalog-objects.ts';
import type { CatalogObject, RefusedObjects } from './catalog-objects.ts';

/** The parts of a Kubernetes object that are read; only a Secret has `data`. */
export interface ClusterObject {
  readonly kind?: string | undefined;
  readonly metadata?: {
    readonly name?: string | undefined;
    readonly uid?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly creationTimestamp?: unknown;
    readonly generation?: number | undefined;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly data?: Readonly<Record<string, string | null>> | undefined;
}

/** Accepted objects by kind and name. */
export type KnownObjects = ReadonlyMap<string, CatalogObject>;

/** The objects that are in force, and the reason for each one that was refused; both by kind and name. */
export interface Validation {
  readonly accepted: KnownObjects;
  readonly refused: ReadonlyMap<string, string>;
}

/** An object's kind and name, as messages write it. */
export const nameOf = ({ kind, metadata }: ClusterObject): string =>
  `${kind ?? '?'} ${metadata?.name ?? '?'}`;

const decodeSecret = (data: ClusterObject['data']) =>
  Object.fromEntries(
    Object.entries(data ?? {}).map(([key, text]) => [
      key,
      Buffer.from(text ?? '', 'base64').toString('utf8'),
    ]),
  );

/** The same object as a YAML document in a catalog folder would describe it. */
export const asDocument = ({ kind, metadata, spec, data }: ClusterObject): unknown =>
  kind === 'Secret'
    ? { apiVersion: 'v1', kind, metadata, stringData: decodeSecret(data) }
    : { apiVersion: 'gsb.dev/v1', kind, metadata, spec };

/** How many objects of each of these kinds are refused. */
export const refusedByKind = (
  { refused }: Validation,
  kinds: readonly CatalogObject['kind'][],
): RefusedObjects => {
  const names = [...refused.keys()];
  const count = (kind: string): number => names.filter((name) => name.startsWith(`${kind} `)).length;
  return Object.fromEntries(kinds.map((kind) => [kind, count(kind)]));
};

const createdMs = ({ metadata }: ClusterObject): number =>
  new Date(metadata?.creationTimestamp as string | Date).getTime() || 0;

/** Which object of the cluster each was read from: one that was deleted and made again is another of the same name. */
const uids = new WeakMap<CatalogObject, string | undefined>();

const readObject = (raw: ClusterObject) => {
  const { data: wanted, error } = catalogObject.safeParse(asDocument(raw));
  if (wanted !== undefined) uids.set(wanted, raw.metadata?.uid);
  const problem = error ? z.prettifyError(error) : '';
  return { name: nameOf(raw), createdMs: createdMs(raw), wanted, problem };
};

/** What objects were read as: of the keys of five thousand cafes one changes, and the others are the same objects as before. */
const readings = new WeakMap<ClusterObject, ReturnType<typeof readObject>>();

/** What this process has in force comes first; then, of what it does not know, what another one says is in force: they should agree. */
const rankOf = (raw: ClusterObject, wanted: CatalogObject | undefined, before: CatalogObject | undefined) => {
  if (isDeepStrictEqual(wanted, before)) return 0;
  return before === undefined && isSaidInForce(raw) ? 1 : 2;
};

const candidateOf = (raw: ClusterObject, known: KnownObjects) => {
  const reading = readings.get(raw) ?? readObject(raw);
  readings.set(raw, reading);
  const last = known.get(reading.name);
  const before = last && uids.get(last) === raw.metadata?.uid ? last : undefined;
  return { ...reading, before, rank: rankOf(raw, reading.wanted, before) };
};

type Candidate = ReturnType<typeof candidateOf>;

/** Of those with the same rank the older one comes first: a key in use is never lost to a new object that claims the same id. */
const byPrecedence = (a: Candidate, b: Candidate): number =>
  a.rank - b.rank || a.createdMs - b.createdMs || a.name.localeCompare(b.name);

/**
 * Which of a cluster's objects are in force. An object that is invalid or conflicts with another one is refused, and its last accepted
 * version stays in force where it can (D-32).
 */
export const validateObjects = (raws: readonly ClusterObject[], known: KnownObjects): Validation => {
  const accepted = new Map<string, CatalogObject>();
  const refused = new Map<string, string>();
  const claims = createClaims();
  const accept = (name: string, object: CatalogObject): string | undefined => {
    const [conflict] = claims.conflicts(name, object);
    if (conflict !== undefined) return conflict;
    claims.add(name, object);
    accepted.set(name, object);
    return undefined;
  };
  const candidates = raws.map((raw) => candidateOf(raw, known)).sort(byPrecedence);
  for (const { name, wanted, before, problem } of candidates) {
    const reason = wanted === undefined ? problem : accept(name, wanted);
    if (reason === undefined) continue;
    refused.set(name, reason);
    if (before !== undefined) accept(name, before);
  }
  return { accepted, refused };
};
