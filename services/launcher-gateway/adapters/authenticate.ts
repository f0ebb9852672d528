import { randomBytes } from 'node:crypto';
import type { Catalog } from '#libs/catalog/catalog.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import { clientIp } from '#libs/http/client-ip.ts';
import type { IpTrust } from '#libs/http/client-ip.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { readSignature, signatureHolds } from '#libs/http/signature.ts';
import type { Clock } from '#libs/kernel/clock.ts';
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
export const addressOf = ({ peer, rawHeaders }: IncomingRequest, trust: IpTrust): string => {
  const found = clientIp(peer, rawHeaders, trust);
  if (found.ok) return found.ip;
  if (found.reason === 'malformed')
    throw new Refusal('BAD_REQUEST', { message: 'X-Forwarded-For is malformed.' });
  throw new Refusal('NOT_PC_CAFE');
};

interface SignerOptions {
  readonly catalog: Pick<Catalog, 'launcherKey'>;
  readonly trust: IpTrust;
  readonly clock: Clock;
  /** Uses up a nonce of a key; false when it was used before. */
  readonly useNonce: (keyId: string, nonce: string) => Promise<boolean>;
}

/** D-14: the cafe whose key signed the request. Every failure is INVALID_SIGNATURE with the server's time, so that a launcher can set its clock. */
export const signedCaller =
  ({ catalog, trust, clock, useNonce }: SignerOptions) =>
  async (incoming: IncomingRequest): Promise<SignedCaller> => {
    const refuse = () =>
      new Refusal('INVALID_SIGNATURE', { members: { server_time: new Date(clock()).toISOString() } });
    const signature = readSignature(header(incoming, 'signature-input'), header(incoming, 'signature'));
    if (signature === undefined) throw refuse();
    const key = catalog.launcherKey(signature.keyId);
    const { method, authority, path, rawBody: body } = incoming;
    const secret = key?.secret ?? unknownKeySecret;
    const holds = signatureHolds(
      signature,
      { method, authority, path, body },
      header(incoming, 'content-digest'),
      secret,
    );
    const inWindow = Math.abs(clock() / 1000 - signature.createdSec) <= windowSec;
    if (!holds || key === undefined || !inWindow) throw refuse();
    if (!(await useNonce(signature.keyId, signature.nonce))) throw refuse();
    return { cafeId: key.cafeId, ip: addressOf(incoming, trust) };
  };

/** The live launcher session of a bearer token (D-13). Throws INVALID_SESSION_TOKEN. */
export const tokenCaller =
  (sessions: Pick<Ports['sessions'], 'read'>, trust: IpTrust) =>
  async (incoming: IncomingRequest): Promise<SessionCaller> => {
    const token = /^Bearer ([\w-]{1,128})$/i.exec(header(incoming, 'authorization'))?.[1] ?? '';
    const id = sessionIdOf(token);
    if (id === undefined) throw new Refusal('INVALID_SESSION_TOKEN');
    const { record: session, ...at } = await sessions.read(id);
    if (!isLive(session, at)) throw new Refusal('INVALID_SESSION_TOKEN');
    return { session, ip: addressOf(incoming, trust) };
  };
