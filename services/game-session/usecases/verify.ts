import { Refusal } from '#libs/contracts/errors.ts';
import { uuidOfDigest } from '#libs/kernel/shards.ts';
import type { StoredResponse, Ports } from '../ports.ts';
import { presentToken } from './support/present-token.ts';
import type { VerifyAnswer, VerifyCall } from './support/present-token.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

const keyOf = ({ incoming }: VerifyCall): string | undefined => {
  const key = incoming.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && keyPattern.test(key)) return key;
  throw new Refusal('BAD_REQUEST', { message: 'Idempotency-Key: must be 1 to 255 visible characters' });
};

const answerOf = (stored: StoredResponse, bodyHash: string): VerifyAnswer => {
  if (stored.bodyHash !== bodyHash) throw new Refusal('IDEMPOTENCY_KEY_REUSED');
  if (stored.answer === undefined) throw new Refusal('REQUEST_IN_FLIGHT', { retryAfterSec: 1 });
  return stored.answer as VerifyAnswer;
};

/**
 * D-15: with an Idempotency-Key, the same request within five minutes receives the same answer. The presentation's id is derived from
 * the key, so that a request whose first answer was lost with its process finds the session that it began.
 */
export const verify = (ports: Ports): ((call: VerifyCall) => Promise<VerifyAnswer>) => {
  const { idempotency, tokens, ids } = ports;
  const present = presentToken(ports);
  return async (call) => {
    const key = keyOf(call);
    if (key === undefined) return present(call, ids.uuid());
    const name = tokens.hash(`${call.caller.gameId}\n${key}`);
    const bodyHash = tokens.hash(JSON.stringify(call.body));
    const stored = await idempotency.begin(name, bodyHash);
    if (stored) return answerOf(stored, bodyHash);
    try {
      const answer = await present(call, uuidOfDigest(tokens.hash(name + bodyHash)));
      await idempotency.store(name, { bodyHash, answer });
      return answer;
    } catch (error) {
      await idempotency.release(name);
      throw error;
    }
  };
};
