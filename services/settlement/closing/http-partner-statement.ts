import { z } from 'zod';
import { partnerBilling } from '#libs/contracts/partner.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { fetchThrough } from '#libs/http/proxy-tunnel.ts';
import type { HttpProxy } from '#libs/http/proxy-tunnel.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import { parseJsonStream } from '../core/json-stream.ts';
import { PartnerStatementUnavailable } from './ports.ts';
import type { ReadPartnerStatement } from './ports.ts';

/** How long the partner may take to begin its answer, and then to go on with it. The whole has no deadline: a statement is as long as the day was busy. */
const patience = { headMs: 120_000, idleMs: 60_000 };
const batchSize = 2_000;

const billings = z.array(partnerBilling);

const reasonOf = (error: unknown): string => {
  if (error instanceof z.ZodError) return 'a billing in it is not as agreed';
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};

/** The pieces of a body. The time in which they are worked on does not count: Postgres may be slower than the partner. */
async function* steady(body: AsyncIterable<Uint8Array>, idleMs: number): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const silent = () => new Error(`nothing more of it came for ${idleMs / 1000} s`);
  for (;;) {
    const piece: IteratorResult<Uint8Array, unknown> = await withDeadline(pieces.next(), idleMs, silent);
    if (piece.done === true) return;
    yield piece.value;
  }
}

/** Joins the few billings of each piece of the body into batches of at least `batchSize`. */
async function* batched(pieces: AsyncIterable<unknown[]>): AsyncGenerator<unknown[]> {
  let batch: unknown[] = [];
  for await (const piece of pieces) {
    batch = batch.length === 0 ? piece : batch.concat(piece);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Where the partner's API is; what is not set is reported when the statement is needed: a day that is closed already is read without it. */
export interface PartnerAccess {
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** What leads there; undefined: nothing stands between. */
  readonly proxy: HttpProxy | undefined;
}

/** The partner's own statement over HTTP (`GET /v1/billings?day=`), streamed. */
export const partnerStatementOverHttp = (
  { url, token, proxy }: PartnerAccess,
  { headMs, idleMs } = patience,
): ReadPartnerStatement => {
  const ask = proxy === undefined ? fetch : fetchThrough(proxy);
  const late = () => new Error(`it did not begin within ${headMs / 1000} s`);
  return async function* readStatement(day) {
    if (url === undefined || token === undefined)
      throw new PartnerStatementUnavailable(
        'PARTNER_URL and PARTNER_TOKEN say where the partner’s own statement is; one is not set',
      );
    const request = new AbortController();
    try {
      const asked = ask(`${url.replace(/\/$/, '')}/v1/billings?day=${day}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: request.signal,
        redirect: 'error',
      });
      const { status, body } = await withDeadline(asked, headMs, late);
      if (status !== 200 || body === null) throw new Error(`it answered ${status}`);
      for await (const batch of batched(parseJsonStream(steady(body, idleMs))))
        yield fromWire(billings, batch);
    } catch (error) {
      throw new PartnerStatementUnavailable(
        `the partner's statement of ${day} cannot be had: ${reasonOf(error)}`,
        { cause: error },
      );
    } finally {
      request.abort();
    }
  };
};
