import { z } from 'zod';
import { partnerBilling } from '#libs/contracts/partner.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { StatementAway } from '../ports.ts';
import type { PartnerStatement } from '../ports.ts';
import { parseJsonStream } from '../core/json-stream.ts';

/** From the question to the last byte. */
const deadlineMs = 120_000;
const atOnce = 2_000;

const billings = z.array(
  partnerBilling.pick({
    billing_id: true,
    cafe_id: true,
    game_id: true,
    status: true,
    started_at: true,
    stopped_at: true,
    play_duration_sec: true,
  }),
);

const reasonOf = (error: unknown): string => {
  if (error instanceof z.ZodError) return 'a billing in it is not as agreed';
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};

/** In tens of thousands of bytes a billing is a small thing: many are handed over together. */
async function* gathered(pieces: AsyncIterable<unknown[]>, size: number): AsyncGenerator<unknown[]> {
  let some: unknown[] = [];
  for await (const piece of pieces) {
    some = some.length === 0 ? piece : some.concat(piece);
    if (some.length < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** The partner's own statement over HTTP (`GET /v1/billings?day=`), read as it comes. */
export const partnerStatementOverHttp = ({ url, token }: { url: string; token: string }): PartnerStatement =>
  async function* statement(day) {
    try {
      const answer = await fetch(`${url.replace(/\/$/, '')}/v1/billings?day=${day}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(deadlineMs),
        redirect: 'error',
      });
      if (answer.status !== 200 || answer.body === null) throw new Error(`it answered ${answer.status}`);
      for await (const some of gathered(parseJsonStream(answer.body), atOnce)) yield fromWire(billings, some);
    } catch (error) {
      throw new StatementAway(`the partner's statement of ${day} cannot be had: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  };
