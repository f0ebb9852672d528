import type { Catalog, LauncherKey } from '#libs/catalog/catalog.ts';
import { splitKeyId } from '#libs/catalog/pc-keys.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { IpTrust } from '#libs/http/client-ip.ts';
import { headerOf } from '#libs/http/incoming-request.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { readSignature } from '#libs/http/signature.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { NoteSecurity, SecurityFields } from '#libs/runtime/security-events.ts';
import { linkRunning } from '#libs/runtime/tracing.ts';
import type { LauncherSession } from '../core/launcher-session.ts';
import type { SessionCaller, SignedCaller } from '../ports.ts';
import { callerAddress } from './caller-address.ts';
import { checkSignature } from './check-signature.ts';
import type { SignatureOptions, SignatureRefusal } from './check-signature.ts';
import type { LauncherRateLimits } from './launcher-rate-limits.ts';
import type { UseNonce } from './redis-nonces.ts';
import { sessionOfToken } from './session-of-token.ts';
import type { SessionOptions } from './session-of-token.ts';

interface SignerOptions extends SignatureOptions {
  readonly catalog: Pick<Catalog, 'launcherKey' | 'markUsed'>;
  readonly security: NoteSecurity;
  readonly trust: IpTrust;
  readonly metrics: Metrics;
  readonly rateLimits: Pick<LauncherRateLimits, 'signedStart' | 'sharedStart' | 'failedStart'>;
  readonly useNonce: UseNonce;
}

/** What counts against the key: any other signature was made with it. */
const isGuess = (reason: SignatureRefusal): boolean =>
  ['malformed', 'unknown_key', 'mismatch'].includes(reason);
/** Whoever signed before Redis was lost signs again: no failure of his, and nothing is wrong with his key. */
const signAgain = (serverTime: string): Refusal =>
  new Refusal('UNAVAILABLE', { retryAfterSec: 1, members: { server_time: serverTime } });

const launcherKind = { kind: 'launcher-key' };
/** The id of a key that nobody has is any text, and not written. */
const noteRefusal = (
  { catalog, security }: Pick<SignerOptions, 'catalog' | 'security'>,
  reason: SignatureRefusal,
  { keyId = '', addressClass }: { keyId: string | undefined; addressClass: string },
): void => {
  const known = catalog.launcherKey(keyId);
  const fields = { addressClass, ...(known && { keyId, cafeId: known.cafeId }) };
  if (reason === 'replayed') security('nonce.replayed', fields);
  else security('authentication.failed', { ...launcherKind, reason, ...fields });
};

/**
 * D-14: the cafe whose key signed the request. Every failure is INVALID_SIGNATURE with the server's time, so that a launcher can set its
 * clock; what may have been used on a Redis that was lost is UNAVAILABLE (D-44). After too many failures of an address nothing is computed any more (D-42).
 */
export const signedCaller = (
  options: SignerOptions,
): ((incoming: IncomingRequest) => Promise<SignedCaller>) => {
  const { trust, clock, metrics, rateLimits, useNonce, catalog, security } = options;
  const addressOf = callerAddress(trust, metrics, security);
  const refusals = metrics.counter('gsb_signature_refusals_total');
  return async (incoming) => {
    const address = addressOf(incoming);
    const signature = readSignature(headerOf(incoming, 'signature-input'), headerOf(incoming, 'signature'));
    // What is counted by key is counted by the cafe's: anybody can make up names of PCs.
    const presented = signature && splitKeyId(signature.keyId);
    const presentedId = presented?.keyId;
    const refuse = async (reason: SignatureRefusal): Promise<Refusal> => {
      refusals.inc({ reason });
      noteRefusal(options, reason, { keyId: presentedId, addressClass: address.class });
      const keyId = isGuess(reason) ? presentedId : undefined;
      const serverTime = new Date(clock()).toISOString();
      if (reason === 'perhaps_replayed') return signAgain(serverTime);
      // A clock that is wrong is no failure either.
      if (reason !== 'outside_window') await rateLimits.failedStart(address.counted, keyId);
      return new Refusal('INVALID_SIGNATURE', { members: { server_time: serverTime } });
    };
    await rateLimits.signedStart(address.counted, presented);
    const checked = checkSignature(options, incoming, signature);
    if (checked.refused !== undefined) throw await refuse(checked.refused);
    const { keyId, isOwnKey } = checked;
    // Nonces are kept for half an hour: what begins no session whatever its nonce is stores none.
    const pcId = checked.pcNamed();
    if (!isOwnKey) await rateLimits.sharedStart(checked.key, pcId);
    const used = await useNonce(checked.signature);
    if (used !== 'fresh') throw await refuse(used);
    const { cafeId, pcs, fingerprint: keyFingerprint } = checked.key;
    catalog.markUsed(keyId);
    const kind = isOwnKey ? 'pc-key' : launcherKind.kind;
    security('authentication.succeeded', { kind, keyId, cafeId, addressClass: address.class });
    return { cafeId, keyId, keyFingerprint, isOwnKey, pcs, ip: address.proven() };
  };
};

interface TokenOptions extends SessionOptions {
  readonly catalog: Pick<Catalog, 'launcherKey'>;
  readonly trust: IpTrust;
  readonly metrics: Metrics;
  readonly rateLimits: Pick<LauncherRateLimits, 'wrongToken'>;
  readonly security: NoteSecurity;
}

/**
 * Whether a session may go on under its key (D-45): one that was taken out, has another secret, was given to another cafe, or may no longer
 * be shared ends the sessions that began so. What a session does not know of its key is not asked.
 */
const stillHolds = (key: LauncherKey | undefined, session: LauncherSession): boolean =>
  key?.cafeId === session.cafeId &&
  (session.keyFingerprint ?? key.fingerprint) === key.fingerprint &&
  (session.isOwnKey !== false || key.isShared);

/** The live launcher session of a bearer token (D-13). Throws INVALID_SESSION_TOKEN, and RATE_LIMITED where an address has tried too many (D-42). */
export const tokenCaller = (
  options: TokenOptions,
): ((incoming: IncomingRequest) => Promise<SessionCaller>) => {
  const { catalog, trust, metrics, rateLimits, security } = options;
  const addressOf = callerAddress(trust, metrics, security);
  const find = sessionOfToken(options);
  return async (incoming) => {
    const address = addressOf(incoming);
    const token = /^Bearer ([\w-]{1,128})$/i.exec(headerOf(incoming, 'authorization'))?.[1] ?? '';
    const found = await find(token);
    const session = found?.session;
    const refuse = (reason: 'not_live' | 'key_revoked', fields: SecurityFields = {}) => {
      const why = { kind: 'session-token', reason, addressClass: address.class };
      security('authentication.failed', { ...why, ...fields });
      return new Refusal('INVALID_SESSION_TOKEN');
    };
    if (session?.keyId && !stillHolds(catalog.launcherKey(session.keyId), session))
      throw refuse('key_revoked', { keyId: session.keyId, cafeId: session.cafeId, pcId: session.pcId });
    if (found !== undefined) {
      linkRunning(found.session.traceparent);
      return { ...found, ip: address.proven };
    }
    const refusal = refuse('not_live');
    await rateLimits.wrongToken(address.counted);
    throw refusal;
  };
};

/** Both ways in which launchers say who they are. */
export const launcherCallers = (options: SignerOptions & TokenOptions) => ({
  signature: signedCaller(options),
  'session-token': tokenCaller(options),
});
