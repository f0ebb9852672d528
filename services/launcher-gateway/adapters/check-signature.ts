import { randomBytes } from 'node:crypto';
import type { Catalog } from '#libs/catalog/catalog.ts';
import { derivePcSecret, pcIdOf, splitKeyId } from '#libs/catalog/pc-keys.ts';
import { startSession } from '#libs/contracts/api/launcher.ts';
import { parseBody } from '#libs/http/body.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { headerOf } from '#libs/http/incoming-request.ts';
import { parseOrRefuse } from '#libs/http/route.ts';
import { signatureHolds } from '#libs/http/signature.ts';
import type { PresentedSignature } from '#libs/http/signature.ts';
import type { Clock } from '#libs/kernel/clock.ts';

const windowSec = 300;
/** Signatures of unknown keys are compared with this secret, so that they take as long as those of known keys. */
const unknownKeySecret = randomBytes(32);

/** Why a signature is refused. */
export type SignatureRefusal =
  | 'malformed'
  | 'unknown_key'
  | 'mismatch'
  | 'shared_key'
  | 'other_pc'
  | 'not_ours'
  | 'outside_window'
  | 'replayed'
  | 'perhaps_replayed';

/** The first check that fails; all of them are made, so that an unknown key takes as long as a known one. */
const firstFailed = (
  checks: Readonly<Record<'key' | 'holds' | 'mayBeShared' | 'isOfPc' | 'isOurs' | 'inWindow', boolean>>,
): SignatureRefusal | undefined => {
  if (!checks.key) return 'unknown_key';
  if (!checks.holds) return 'mismatch';
  if (!checks.mayBeShared) return 'shared_key';
  if (!checks.isOfPc) return 'other_pc';
  if (!checks.isOurs) return 'not_ours';
  return checks.inWindow ? undefined : 'outside_window';
};

/** What a signature is checked by. */
export interface SignatureOptions {
  readonly catalog: Pick<Catalog, 'launcherKey'>;
  readonly clock: Clock;
  /** The authorities that are ours, without a port where any will do; undefined: any is (D-44). */
  readonly authorities: readonly string[] | undefined;
}

/** What was signed for another service of the cafe's, with the same key, is nothing here. */
const isOneOf = (authorities: readonly string[], authority: string): boolean =>
  authorities.includes(authority) || authorities.includes(authority.replace(/:\d+$/, ''));

/** Tells which PC a body names, read as the route reads it; throws what the route does where it names none. */
const pcNamedBy =
  ({ rawBody, headers }: IncomingRequest, cafeId: string) =>
  (): string =>
    parseOrRefuse(() => {
      const { hardware } = startSession.body.parse(parseBody(rawBody, headers['content-type']));
      return pcIdOf(cafeId, hardware.machine_id);
    });

/** Whether the body names the PC, or none. */
const isOrNone = (pcNamed: () => string, pcId: string): boolean => {
  try {
    return pcNamed() === pcId;
  } catch {
    return true;
  }
};

/**
 * D-14: the key that made the signature of a request, or why it is refused. Whether its nonce was used is not known here.
 * A key id that names a PC is that of the PC's own key, which is derived from the cafe's and good for that PC alone (D-48).
 */
export const checkSignature = (
  { catalog, clock, authorities }: SignatureOptions,
  incoming: IncomingRequest,
  signature: PresentedSignature | undefined,
) => {
  if (signature === undefined) return { refused: 'malformed' as const };
  const { keyId, pcId } = splitKeyId(signature.keyId);
  const key = catalog.launcherKey(keyId);
  const cafeSecret = key?.secret ?? unknownKeySecret;
  const { method, authority, path, rawBody: body } = incoming;
  const holds = signatureHolds(
    signature,
    { method, authority, path, body },
    headerOf(incoming, 'content-digest'),
    pcId === undefined ? cafeSecret : derivePcSecret(cafeSecret, pcId),
  );
  const inWindow = Math.abs(clock() / 1000 - signature.createdSec) <= windowSec;
  const isOurs = authorities === undefined || isOneOf(authorities, authority);
  const mayBeShared = pcId !== undefined || key?.isShared === true;
  // Only what was signed is read.
  const pcNamed = pcNamedBy(incoming, key?.cafeId ?? '');
  const isOfPc = pcId === undefined || !holds || isOrNone(pcNamed, pcId);
  const refused = firstFailed({ key: key !== undefined, holds, mayBeShared, isOfPc, isOurs, inWindow });
  if (refused !== undefined || key === undefined) return { refused: refused ?? ('unknown_key' as const) };
  return { refused: undefined, signature, key, keyId, isOwnKey: pcId !== undefined, pcNamed };
};
