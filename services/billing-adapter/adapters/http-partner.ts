import { SpanKind } from '@opentelemetry/api';
import { Pool } from 'undici';
import { mostRenewals } from '#libs/contracts/partner.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Part } from '#libs/runtime/service.ts';
import { inSpan, injectTrace } from '#libs/runtime/tracing.ts';
import { readCafe, readRenewals, readStart, readStop, unknown } from './read-answer.ts';
import type { Said } from './read-answer.ts';
import type { Partner } from '../ports.ts';
import { createBatches } from './batches.ts';

const timeoutMs = 2_000;
const mostConnections = 32;
const mostAnswerBytes = 1_048_576;

interface PartnerOptions {
  readonly url: string;
  readonly token: string;
  readonly metrics: Metrics;
  readonly log: Log;
}

interface Request {
  readonly operation: 'check' | 'start' | 'renew' | 'stop';
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

const readBody = async (body: AsyncIterable<Buffer>): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > mostAnswerBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** One request: measured, traced, with a deadline. Status 0 stands for no answer at all. */
const caller = ({ url, token, metrics, log }: PartnerOptions, pool: Pool) => {
  const basePath = new URL(url).pathname.replace(/\/$/, '');
  const send = async ({ method, path, body }: Request): Promise<Said> => {
    const answer = await pool.request({
      method,
      path: basePath + path,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...injectTrace() },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.statusCode, json: await readBody(answer.body) };
  };
  return (request: Request): Promise<Said> =>
    inSpan(`partner ${request.operation}`, { kind: SpanKind.CLIENT }, async (span) => {
      const stop = metrics
        .histogram('gsb_partner_request_duration_seconds')
        .startTimer({ operation: request.operation });
      try {
        const said = await send(request);
        span.setAttribute('http.response.status_code', said.status);
        stop({ outcome: said.status < 500 ? 'answered' : 'failed' });
        return said;
      } catch (error) {
        stop({ outcome: 'failed' });
        log.warn(
          { operation: request.operation, reason: (error as Error).message },
          'the partner did not answer',
        );
        return { status: 0, json: undefined };
      }
    });
};

const iso = (ms: number) => new Date(ms).toISOString();

type Post = (operation: Request['operation'], path: string, body: unknown) => Promise<Said>;

const startAt =
  (post: Post): Partner['start'] =>
  async (order) => {
    const { gameSessionId, cafeId, pcId, gameId, providerUserId, startedAtMs } = order;
    const seat = { cafe_id: cafeId, pc_id: pcId, game_id: gameId, provider_user_id: providerUserId };
    return readStart(
      await post('start', '/v1/billings', {
        billing_id: gameSessionId,
        ...seat,
        started_at: iso(startedAtMs),
      }),
    );
  };

const stopAt =
  (post: Post): Partner['stop'] =>
  async ({ gameSessionId, playDurationSec, stoppedAtMs, reason }) => {
    const body = { play_duration_sec: playDurationSec, stopped_at: iso(stoppedAtMs), reason };
    return readStop(await post('stop', `/v1/billings/${encodeURIComponent(gameSessionId)}/stop`, body));
  };

/** The partner over HTTP (contract, part 4). The game session id is the idempotency key of everything that is asked. */
export const httpPartner = (options: PartnerOptions): { partner: Partner; connections: Part } => {
  const pool = new Pool(new URL(options.url).origin, {
    connections: mostConnections,
    connectTimeout: timeoutMs,
  });
  const call = caller(options, pool);
  const post: Post = (operation, path, body) => call({ operation, method: 'POST', path, body });
  const renewAll = createBatches(mostRenewals, async (renewals: readonly { billing_id: string }[]) => {
    const outcomeOf = readRenewals(await post('renew', '/v1/billings/renewals', { renewals }));
    return renewals.map(({ billing_id: id }) => outcomeOf(id));
  });
  const partner: Partner = {
    cafeOf: async (ip) =>
      readCafe(
        await call({ operation: 'check', method: 'GET', path: `/v1/cafes?ip=${encodeURIComponent(ip)}` }),
      ),
    start: startAt(post),
    renew: async (gameSessionId, playDurationSec, atMs) => {
      const renewal = { billing_id: gameSessionId, play_duration_sec: playDurationSec, at: iso(atMs) };
      return (await renewAll(renewal)) ?? unknown('too many renewals are waiting');
    },
    stop: stopAt(post),
  };
  return {
    partner,
    connections: { name: 'partner', start: async () => undefined, stop: () => pool.close() },
  };
};
