import { maxRenewals } from '#libs/contracts/partner.ts';
import type { Partner } from '../ports.ts';
import { createBatcher } from './batcher.ts';
import type { PartnerTransport, Request } from './partner-transport.ts';
import { parseCafe, parseRenewals, parseStart, parseStop, unknown } from './parse-partner-response.ts';

const iso = (ms: number) => new Date(ms).toISOString();

type Call = PartnerTransport['call'];

const post = (operation: Request['operation'], path: string, body: unknown): Request => ({
  ...{ operation, method: 'POST', path, body },
});

const startAt =
  (call: Call): Partner['start'] =>
  ({ gameSessionId, cafeId, pcId, gameId, providerUserId, startedAtMs }) => {
    const seat = { cafe_id: cafeId, pc_id: pcId, game_id: gameId, provider_user_id: providerUserId };
    const body = { billing_id: gameSessionId, ...seat, started_at: iso(startedAtMs) };
    return call(post('start', '/v1/billings', body), parseStart);
  };

const stopAt =
  (call: Call): Partner['stop'] =>
  ({ gameSessionId, playDurationSec, stoppedAtMs, reason }) => {
    const body = { play_duration_sec: playDurationSec, stopped_at: iso(stoppedAtMs), reason };
    return call(post('stop', `/v1/billings/${encodeURIComponent(gameSessionId)}/stop`, body), parseStop);
  };

const renewAt = (call: Call, inFlight: number): Partner['renew'] => {
  const batches = { size: maxRenewals, inFlight };
  const renewAll = createBatcher(batches, async (renewals: readonly { billing_id: string }[]) => {
    const answer = await call(post('renew', '/v1/billings/renewals', { renewals }), parseRenewals);
    return renewals.map(({ billing_id: id }) => (answer.outcome === 'unknown' ? answer : answer.of(id)));
  });
  return async (gameSessionId, playDurationSec, atMs) => {
    const renewal = { billing_id: gameSessionId, play_duration_sec: playDurationSec, at: iso(atMs) };
    return (await renewAll(renewal)) ?? unknown('too many renewals are waiting');
  };
};

/** The partner's API over HTTP, with so many calls that renew in flight. The game session id is the idempotency key of every call. */
export const partnerClient = (
  { call }: Pick<PartnerTransport, 'call'>,
  renewalsInFlight: number,
): Partner => ({
  cafeOf: (ip) => {
    const path = `/v1/cafes?ip=${encodeURIComponent(ip)}`;
    return call({ operation: 'check', method: 'GET', path }, parseCafe);
  },
  start: startAt(call),
  renew: renewAt(call, renewalsInFlight),
  stop: stopAt(call),
});
