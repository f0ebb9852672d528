import * as contract from '#libs/contracts/api/launcher.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import { countResults } from '#libs/http/count-results.ts';
import { paced } from '#libs/http/pace-heartbeats.ts';
import { route } from '#libs/http/route.ts';
import { createHeartbeatPacing } from '#libs/kernel/heartbeat-pacing.ts';
import type { ProcessContext } from '#libs/runtime/process.ts';
import type { Ports } from './ports.ts';
import { endSession } from './usecases/end-session.ts';
import { heartbeatSession } from './usecases/heartbeat-session.ts';
import { requestOtt } from './usecases/request-ott.ts';
import { startSession } from './usecases/start-session.ts';
import { PartnerSilent } from './usecases/support/check-cafe-address.ts';

const answered = () => 'ok';

type ApiContext = Pick<ProcessContext, 'metrics' | 'security'>;

/** D-13: what launchers call; how starts and requests of tokens are answered is counted, and heartbeats are spread (D-55). */
export const api = (ports: Ports, { metrics, security }: ApiContext) => {
  const pace = createHeartbeatPacing(ports.limits.heartbeatIntervalSec);
  const [starts, unchecked, requests] = [
    metrics.counter('gsb_session_starts_total'),
    metrics.counter('gsb_session_starts_unchecked_total'),
    metrics.counter('gsb_ott_requests_total'),
  ];
  const started = countResults(startSession(ports), answered, (result, _, error) => {
    starts.inc({ result });
    if (error instanceof Refusal && error.cause instanceof PartnerSilent) unchecked.inc();
  });
  const requested = countResults(requestOtt(ports), answered, (result, { body }) => {
    // A game that is not in the catalog is any text, and no label.
    const game_id = ports.catalog.game(body.gameId)?.gameId ?? 'unknown';
    requests.inc({ game_id, result });
  });
  const beaten = countResults(heartbeatSession(ports), answered, (result, { caller: { session } }) => {
    const { keyId, cafeId, pcId } = session;
    const whose = { cafeId, pcId, ...(keyId !== null && { keyId }) };
    if (result === 'RATE_LIMITED') security('rate.limited', { limit: 'heartbeats-session', ...whose });
  });
  return [
    route(contract.startSession, started),
    route(contract.heartbeatSession, paced(pace, beaten)),
    route(contract.requestOtt, requested),
    route(contract.endSession, endSession(ports)),
  ];
};
