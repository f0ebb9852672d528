import { z } from 'zod';
import { cafeId, gameId, sha256 } from '#libs/contracts/fields.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';

const apiKey = z.object({
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
    keys: z.array(apiKey).max(2, 'at most two keys of a game are live'),
  }),
});

/** A cafe's key for signing launcher requests (D-14): a labelled Secret whose name is the key id. */
export const launcherKeyObject = z.object({
  apiVersion: z.literal('v1'),
  kind: z.literal('Secret'),
  metadata: z.object({
    name: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,127}$/, 'must be a key id'),
    labels: z.object({ 'gsb.dev/launcher-key': z.literal('true') }),
  }),
  stringData: z.object({ cafe_id: cafeId, secret: z.base64().min(24).max(256) }),
});

/** Schema of every object in a catalog. */
export const catalogObject = z.discriminatedUnion('kind', [gameObject, launcherKeyObject]);

/** One object of a catalog. */
export type CatalogObject = z.output<typeof catalogObject>;

/** The objects of a catalog, kept up to date while the component runs. */
export type CatalogSource = Component & { objects(): readonly CatalogObject[] };

/** What a service uses the catalog for. */
export interface CatalogUse {
  /** Whether it reads launcher keys too: only launcher-gateway may read their Secrets. */
  readonly launcherKeys: boolean;
  /** Whether it writes the condition Accepted into each Game's status (D-32). */
  readonly writesStatus: boolean;
  readonly log: Log;
}
