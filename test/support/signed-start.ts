import { randomUUID } from 'node:crypto';
import { signRequest } from '#simulators/launcher/sign-request.ts';
import type { StackFacts } from '#simulators/stack-file.ts';
import { send } from './raw.ts';
import type { RawAnswer } from './raw.ts';
import { cafeOf } from './suite-stack.ts';

/** What is otherwise than in a right start of a new PC at the first cafe. */
interface Change {
  readonly cafe?: number;
  /** What stands in X-Forwarded-For. */
  readonly from?: string;
  readonly keyId?: string;
  readonly secret?: Buffer;
  readonly created?: Date;
  readonly nonce?: string;
  readonly machineId?: string;
  /** What stands before the JSON of the body. */
  readonly prefix?: string;
  /** What is signed as @authority. */
  readonly authority?: string;
}

/** A session start, and the whole of its answer. */
export const signedStart = (stack: StackFacts, change: Change = {}): Promise<RawAnswer> => {
  const { keyId, secret, ip } = cafeOf(stack, change.cafe ?? 0);
  const { url } = stack.launcher;
  const machine_id = change.machineId ?? randomUUID();
  const json = JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id } });
  const body = `${change.prefix ?? ''}${json}`;
  const authority = change.authority ?? new URL(url).host;
  const parts = { method: 'POST', path: '/v1/session/start', authority, body: Buffer.from(body) };
  const claims = {
    keyId: change.keyId ?? keyId,
    nonce: change.nonce ?? randomUUID(),
    createdSec: Math.floor((change.created?.getTime() ?? Date.now()) / 1000),
  };
  const signed = signRequest(parts, claims, change.secret ?? secret);
  const headers = {
    ...{ 'Content-Type': 'application/json', 'X-Forwarded-For': change.from ?? ip, Host: authority },
    ...signed,
  };
  return send({ method: 'POST', url: url + parts.path, headers, body });
};
