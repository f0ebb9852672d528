import { z } from 'zod';
import { cafeId, gameId, sha256 } from '#libs/contracts/fields.ts';
import { cafeKeyIdTooLong, maxCafeKeyIdLength } from './pc-keys.ts';
import { operatorName, operatorRole } from '#libs/contracts/operators.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';

const key = z.object({
  id: z.string().regex(/^[a-z0-9]{8}$/, 'must be 8 lower-case letters or digits'),
  sha256,
  notAfter: z.iso.datetime().optional(),
});

/** A game and its API keys, as a Kubernetes object or a YAML document. Two keys may be valid at a time, so that one can replace the other. */
export const gameObject = z.object({
  apiVersion: z.literal('gsb.dev/v1'),
  kind: z.literal('Game'),
  metadata: z.object({ name: gameId }),
  spec: z.object({
    displayName: z.string().min(1).max(64),
    outagePolicy: z.enum(['continue', 'refuse']).default('continue'),
    keys: z.array(key).max(2, 'at most two keys of a game are live'),
  }),
});

/** A cafe's key for signing launcher requests (D-14): a labelled Secret whose name is the key id. */
export const launcherKeyObject = z.object({
  apiVersion: z.literal('v1'),
  kind: z.literal('Secret'),
  metadata: z.object({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be a key id')
      .max(maxCafeKeyIdLength, cafeKeyIdTooLong),
    labels: z.object({ 'gsb.dev/launcher-key': z.literal('true') }),
  }),
  stringData: z.object({
    cafe_id: cafeId,
    secret: z.base64().min(24).max(256),
    /** How many PCs the cafe has, which all may start at once (D-42). */
    pcs: z
      .string()
      .regex(/^[1-9]\d{0,3}$/, 'must be a number of PCs, as text')
      .optional(),
    /** Whether launchers may sign with this key itself, or only with those of single PCs that are derived from it (D-48). */
    shared: z.enum(['allowed', 'refused']).optional(),
  }),
});

/** An operator, a person or a program, with roles and keys (D-40). `cafes`, `games`: the statements that it may read; all where absent. */
export const operatorObject = z.object({
  apiVersion: z.literal('gsb.dev/v1'),
  kind: z.literal('Operator'),
  metadata: z.object({ name: operatorName }),
  spec: z.object({
    roles: z.array(operatorRole),
    cafes: z.array(cafeId).min(1, 'names no cafe; leave it out for all').optional(),
    games: z.array(gameId).min(1, 'names no game; leave it out for all').optional(),
    keys: z.array(key).max(2, 'at most two keys of an operator are live'),
  }),
});

/** Schema of every object in a catalog. */
export const catalogObject = z.discriminatedUnion('kind', [gameObject, launcherKeyObject, operatorObject]);

/** A game and its API keys. */
export type GameObject = z.output<typeof gameObject>;

/** One object of a catalog. */
export type CatalogObject = z.output<typeof catalogObject>;

/** How many objects of each kind are refused; of a folder, how many problems its files have. */
export type RefusedObjects = Readonly<Partial<Record<CatalogObject['kind'] | 'file', number>>>;

/** The objects of a catalog that are in force, and how many are not, kept up to date while the component runs. */
export type CatalogSource = Component & {
  objects(): readonly CatalogObject[];
  refused(): RefusedObjects;
};

/** What a service uses the catalog for. */
export interface CatalogUse {
  /** The kinds that it reads: only launcher-gateway may read Secrets, which are launcher keys. A folder is read whole. */
  readonly kinds: readonly CatalogObject['kind'][];
  /** Whether it writes the condition Accepted into each Game's status (D-32). */
  readonly writesStatus: boolean;
  readonly log: Log;
}
