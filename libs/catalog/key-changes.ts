import type { Clock } from '#libs/kernel/clock.ts';
import type { NoteSecurity, SecurityFields } from '#libs/runtime/security-events.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogObject } from './catalog-objects.ts';
import { fingerprintOf } from './fingerprint.ts';

interface KnownKey {
  readonly whose: SecurityFields;
  /** Whose it is, which secret, and whether a launcher key may be shared: another one under the same id is another key. */
  readonly form: string;
  readonly notAfterMs: number;
  isExpired: boolean;
}
type KnownKeys = ReadonlyMap<string, KnownKey>;

const keysOf = (object: CatalogObject, nowMs: number): [keyId: string, key: KnownKey][] => {
  const { name } = object.metadata;
  if (object.kind === 'Secret') {
    const { cafe_id: cafeId, secret, shared = 'allowed' } = object.stringData;
    const whose = { kind: 'launcher-key', cafeId };
    const form = `${cafeId} ${fingerprintOf(secret)} ${shared}`;
    return [[name, { whose, form, notAfterMs: Infinity, isExpired: false }]];
  }
  const whose =
    object.kind === 'Game' ? { kind: 'api-key', gameId: name } : { kind: 'operator-key', operator: name };
  return object.spec.keys.map(({ id, sha256, notAfter }) => {
    const form = `${name} ${sha256}`;
    const notAfterMs = notAfter === undefined ? Infinity : Date.parse(notAfter);
    return [id, { whose, form, notAfterMs, isExpired: nowMs >= notAfterMs }];
  });
};

interface KeyChangesOptions {
  readonly objects: () => readonly CatalogObject[];
  /** The objects whose keys callers of this service have. */
  readonly kind: CatalogObject['kind'];
  readonly catalog: Pick<Catalog, 'lastUsedMs'>;
  readonly note: NoteSecurity;
  readonly clock: Clock;
}

/**
 * Notes the keys that come, expire and are taken out, the latter two with when this process saw them used for the last time (D-47). One whose
 * secret or owner is another under its id is taken out and comes; one that had expired and is good again comes. Those that were there at the
 * start have not come. Returns the function that looks.
 */
export const createKeyChanges = ({
  objects,
  kind,
  catalog,
  note,
  clock,
}: KeyChangesOptions): (() => void) => {
  let seen: readonly CatalogObject[] | undefined;
  let known: KnownKeys = new Map();
  const gone = (event: 'key.expired' | 'key.revoked', keyId: string, { whose }: KnownKey) => {
    const usedMs = catalog.lastUsedMs(keyId);
    const lastUsedAt = usedMs === undefined ? undefined : new Date(usedMs).toISOString();
    note(event, { ...whose, keyId, lastUsedAt });
  };
  const compare = (now: KnownKeys): void => {
    const isSame = (keyId: string) => known.get(keyId)?.form === now.get(keyId)?.form;
    for (const [keyId, key] of known) if (!isSame(keyId)) gone('key.revoked', keyId, key);
    for (const [keyId, key] of now) {
      const was = isSame(keyId) ? known.get(keyId) : undefined;
      if (was === undefined || (was.isExpired && !key.isExpired))
        note('key.created', { ...key.whose, keyId });
      // One that an edit made expire is told below, as any other.
      else key.isExpired = was.isExpired;
    }
  };
  return () => {
    const current = objects();
    if (current !== seen) {
      const ours = current.filter((object) => object.kind === kind);
      const now = new Map(ours.flatMap((object) => keysOf(object, clock())));
      if (seen !== undefined) compare(now);
      [seen, known] = [current, now];
    }
    for (const [keyId, key] of known) {
      if (key.isExpired || clock() < key.notAfterMs) continue;
      key.isExpired = true;
      gone('key.expired', keyId, key);
    }
  };
};
