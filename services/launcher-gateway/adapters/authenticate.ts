import { randomBytes } from 'node:crypto';
import type { Catalog } from '#libs/catalog/catalog.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import { clientIp } from '#libs/http/client-ip.ts';
import type { IpTrust } from '#libs/http/client-ip.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { readSignature, signatureHolds } from '#libs/http/signature.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { isLive } from '../core/launcher-session.ts';
import type { Ports, SessionCaller, SignedCaller } from '../ports.ts';
import { sessionIdOf } from './token-crypto.ts';

const windowSec = 300;
/** Signatures of unknown keys are compared with this secret, so that they take as long as those of known keys. */
const unknownKeySecret = randomBytes(32);

const header = (incoming: IncomingRequest, name: string): string => {
  const value = incoming.headers[name];
  return typeof value === 'string' ? value : '';
};

/** The caller's address, which proves the cafe (D-20). Throws BAD_REQUEST for a malformed chain, NOT_PC_CAFE for an address that is no cafe's. */
const createAddressOf = (trust: IpTrust, metrics: Metrics) => {
  const decisions = metrics.counter('gsb_client_addresses_total');
  return ({ peer, rawHeaders }: IncomingRequest): string => {
    const found = clientIp(peer, rawHeaders, trust);
    decisions.inc({ decision: found.ok ? 'accepted' : found.reason });
    if (found.ok) return found.ip;
    if (found.reason === 'malformed')
      throw new Refusal('BAD_REQUEST', { message: 'X-Forwarded-For is malformed.' });
    throw new Refusal('NOT_PC_CAFE');
  };
};

interface SignerOptions {
  readonly catalog: Pick<Catalog, 'launcherKey'>;
  readonly trust: IpTrust;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Uses up a nonce of a key; false when it was used before. */
  readonly useNonce: (keyId: string, nonce: string) => Promise<boolean>;
}

type Refused = 'malformed' | 'unknown_key' | 'mismatch' | 'outside_window' | 'replayed';

/** The first check that fails; all of them are made, so that an unknown key takes as long as a known one. */
const firstFailed = (
  checks: Readonly<Record<'key' | 'holds' | 'inWindow', boolean>>,
): Refused | undefined => {
  if (!checks.key) return 'unknown_key';
  if (!checks.holds) return 'mismatch';
  return checks.inWindow ? undefined : 'outside_window';
};

const checkSignature = ({ catalog, clock }: SignerOptions, incoming: IncomingRequest) => {
  const signature = readSignature(header(incoming, 'signature-input'), header(incoming, 'signature'));
  if (signature === undefined) return { refused: 'malformed' as const };
  const key = catalog.launcherKey(signature.keyId);
  const { method, authority, path, rawBody: body } = incoming;
  const holds = signatureHolds(
    signature,
    { method, authority, path, body },
    header(incoming, 'content-digest'),
    key?.secret ?? unknownKeySecret,
  );
  const inWindow = Math.abs(clock() / 1000 - signature.createdSec) <= windowSec;
  const refused = firstFailed({ key: key !== undefined, holds, inWindow });
  if (refused !== undefined || key === undefined) return { refused: refused ?? ('unknown_key' as const) };
  return { refused: undefined, signature, key };
};

/** D-14: the cafe whose key signed the request. Every failure is INVALID_SIGNATURE with the server's time, so that a launcher can set its clock. */
export const signedCaller = (
  options: SignerOptions,
): ((incoming: IncomingRequest) => Promise<SignedCaller>) => {
  const { trust, clock, metrics, useNonce } = options;
  const addressOf = createAddressOf(trust, metrics);
  const refusals = metrics.counter('gsb_signature_refusals_total');
  const refuse = (reason: Refused): Refusal => {
    refusals.inc({ reason });
    return new Refusal('INVALID_SIGNATURE', { members: { server_time: new Date(clock()).toISOString() } });
  };
  return async (incoming) => {
    const checked = checkSignature(options, incoming);
    if (checked.refused !== undefined) throw refuse(checked.refused);
    const { signature, key } = checked;
    if (!(await useNonce(signature.keyId, signature.nonce))) throw refuse('replayed');
    return { cafeId: key.cafeId, ip: addressOf(incoming) };
  };
};

/** The live launcher session of a bearer token (D-13). Throws INVALID_SESSION_TOKEN. */
export const tokenCaller = (
  sessions: Pick<Ports['sessions'], 'read'>,
  trust: IpTrust,
  metrics: Metrics,
): ((incoming: IncomingRequest) => Promise<SessionCaller>) => {
  const addressOf = createAddressOf(trust, metrics);
  return async (incoming) => {
    const token = /^Bearer ([\w-]{1,128})$/i.exec(header(incoming, 'authorization'))?.[1] ?? '';
    const id = sessionIdOf(token);
    if (id === undefined) throw new Refusal('INVALID_SESSION_TOKEN');
    const { record: session, ...at } = await sessions.read(id);
    if (!isLive(session, at)) throw new Refusal('INVALID_SESSION_TOKEN');
    return { session, ip: addressOf(incoming) };
  };
};
