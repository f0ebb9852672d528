import { Refusal } from '#libs/contracts/errors.ts';
import { uuidOfDigest } from '#libs/kernel/shards.ts';
import type { StoredResponse, Ports } from '../ports.ts';
import { verify } from './verify.ts';
import type { VerifyAnswer, VerifyCall } from './verify.ts';

const keyForm = /^[\x21-\x7e]{1,255}$/;

const keyOf = ({ incoming }: VerifyCall): string | undefined => {
  const key = incoming.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && keyForm.test(key)) return key;
  throw new Refusal('BAD_REQUEST', { message: 'Idempotency-Key: must be 1 to 255 visible characters' });
};

const answerOf = (kept: StoredResponse, bodyHash: string): VerifyAnswer => {
  if (kept.bodyHash !== bodyHash) throw new Refusal('IDEMPOTENCY_KEY_REUSED');
  if (kept.answer === undefined) throw new Refusal('REQUEST_IN_FLIGHT', { retryAfterSec: 1 });
  return kept.answer as VerifyAnswer;
};

/**
 * D-15: with an Idempotency-Key, the same request within five minutes hears the same answer. The presentation's id comes from the key,
 * so that a request whose first answer was lost with our process finds the session that it began.
 */
export const verifyIdempotently = (ports: Ports): ((call: VerifyCall) => Promise<VerifyAnswer>) => {
  const { answers, tokens, ids } = ports;
  const present = verify(ports);
  return async (call) => {
    const key = keyOf(call);
    if (key === undefined) return present(call, ids.uuid());
    const name = tokens.hash(`${call.caller.gameId}\n${key}`);
    const bodyHash = tokens.hash(JSON.stringify(call.body));
    const kept = await answers.begin(name, bodyHash);
    if (kept) return answerOf(kept, bodyHash);
    try {
      const answer = await present(call, uuidOfDigest(tokens.hash(name + bodyHash)));
      await answers.keep(name, { bodyHash, answer });
      return answer;
    } catch (error) {
      await answers.drop(name);
      throw error;
    }
  };
};
