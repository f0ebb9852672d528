import { randomBytes } from 'node:crypto';
import type { Catalog } from '#libs/catalog/catalog.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { headerOf } from '#libs/http/incoming-request.ts';
import { signatureHolds } from '#libs/http/signature.ts';
import type { PresentedSignature } from '#libs/http/signature.ts';
import type { Clock } from '#libs/kernel/clock.ts';

const windowSec = 300;
/** Signatures of unknown keys are compared with this secret, so that they take as long as those of known keys. */
const unknownKeySecret = randomBytes(32);

/** Why a signature is refused. */
export type SignatureRefusal = 'malformed' | 'unknown_key' | 'mismatch' | 'outside_window' | 'replayed';

/** The first check that fails; all of them are made, so that an unknown key takes as long as a known one. */
const firstFailed = (
  checks: Readonly<Record<'key' | 'holds' | 'inWindow', boolean>>,
): SignatureRefusal | undefined => {
  if (!checks.key) return 'unknown_key';
  if (!checks.holds) return 'mismatch';
  return checks.inWindow ? undefined : 'outside_window';
};

/** D-14: the key that made the signature of a request, or why it is refused. Whether its nonce was used is not known here. */
export const checkSignature = (
  { catalog, clock }: { readonly catalog: Pick<Catalog, 'launcherKey'>; readonly clock: Clock },
  incoming: IncomingRequest,
  signature: PresentedSignature | undefined,
) => {
  if (signature === undefined) return { refused: 'malformed' as const };
  const key = catalog.launcherKey(signature.keyId);
  const { method, authority, path, rawBody: body } = incoming;
  const holds = signatureHolds(
    signature,
    { method, authority, path, body },
    headerOf(incoming, 'content-digest'),
    key?.secret ?? unknownKeySecret,
  );
  const inWindow = Math.abs(clock() / 1000 - signature.createdSec) <= windowSec;
  const refused = firstFailed({ key: key !== undefined, holds, inWindow });
  if (refused !== undefined || key === undefined) return { refused: refused ?? ('unknown_key' as const) };
  return { refused: undefined, signature, key };
};
