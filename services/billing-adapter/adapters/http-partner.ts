import { mostRenewals } from '#libs/contracts/partner.ts';
import type { Partner } from '../ports.ts';
import { createBatches } from './batches.ts';
import type { PartnerHttp, Request } from './partner-http.ts';
import { readCafe, readRenewals, readStart, readStop, unknown } from './read-answer.ts';

const iso = (ms: number) => new Date(ms).toISOString();

type Post = (operation: Request['operation'], path: string, body: unknown) => ReturnType<PartnerHttp['call']>;

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
export const httpPartner = (http: Pick<PartnerHttp, 'call'>, onSkipped: () => void): Partner => {
  const post: Post = (operation, path, body) => http.call({ operation, method: 'POST', path, body });
  const renewAll = createBatches(mostRenewals, async (renewals: readonly { billing_id: string }[]) => {
    const outcomeOf = readRenewals(await post('renew', '/v1/billings/renewals', { renewals }));
    return renewals.map(({ billing_id: id }) => outcomeOf(id));
  });
  return {
    cafeOf: async (ip) => {
      const path = `/v1/cafes?ip=${encodeURIComponent(ip)}`;
      return readCafe(await http.call({ operation: 'check', method: 'GET', path }));
    },
    start: startAt(post),
    renew: async (gameSessionId, playDurationSec, atMs) => {
      const renewal = { billing_id: gameSessionId, play_duration_sec: playDurationSec, at: iso(atMs) };
      const said = (await renewAll(renewal)) ?? unknown('too many renewals are waiting');
      if (said.outcome === 'unknown') onSkipped();
      return said;
    },
    stop: stopAt(post),
  };
};
