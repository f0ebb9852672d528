import * as contract from '#libs/contracts/api/game.ts';
import { inBatches } from '#libs/http/batch.ts';
import { countItems } from '#libs/http/count-items.ts';
import { countResults } from '#libs/http/count-results.ts';
import { fewWaitLong } from '#libs/http/few-wait-long.ts';
import { paced, pacedTogether } from '#libs/http/pace-heartbeats.ts';
import { route } from '#libs/http/route.ts';
import type { Route } from '#libs/http/route.ts';
import { createHeartbeatPacing } from '#libs/kernel/heartbeat-pacing.ts';
import type { ProcessContext } from '#libs/runtime/process.ts';
import type { Caller, Ports } from './ports.ts';
import { end } from './usecases/end.ts';
import { heartbeat } from './usecases/heartbeat.ts';
import { verify } from './usecases/verify.ts';

interface OfAGame {
  readonly caller: Caller;
}

type ApiContext = Pick<ProcessContext, 'metrics' | 'security' | 'log'>;

/** Spec part 4; the answers are counted by game, and heartbeats spread (D-55). Requests gather for as long as what goes on through other services (D-56). */
export const api = (ports: Ports, { metrics, security, log }: ApiContext) => {
  const { heartbeatIntervalSec } = ports.limits;
  metrics.gauge('gsb_heartbeat_interval_seconds').set(heartbeatIntervalSec);
  const pace = createHeartbeatPacing(heartbeatIntervalSec);
  const note = (name: 'gsb_verifies_total' | 'gsb_heartbeats_total' | 'gsb_ends_total') => {
    const answers = metrics.counter(name);
    return (result: string, { caller: { gameId, keyId } }: OfAGame) => {
      answers.inc({ game_id: gameId, result });
      if (result === 'GAME_MISMATCH') security('game.mismatched', { gameId, keyId });
      if (result === 'RATE_LIMITED' && name === 'gsb_heartbeats_total')
        security('rate.limited', { limit: 'heartbeats-session', gameId, keyId });
    };
  };
  const verified = countResults(
    verify(ports),
    (answer) => (answer.isValid ? 'accepted' : answer.reason),
    note('gsb_verifies_total'),
  );
  const beaten = countResults(heartbeat(ports), ({ result }) => result, note('gsb_heartbeats_total'));
  const ended = countResults(end(ports), ({ result }) => result, note('gsb_ends_total'));
  const allBeaten = pacedTogether(pace, inBatches(contract.heartbeat, beaten, log));
  return [
    route(contract.verify, verified),
    {
      ...route(contract.heartbeat, paced(pace, beaten)),
      gathers: fewWaitLong(ports.balances.heartbeatsGather),
    },
    route(contract.end, ended),
    route(contract.heartbeats, countItems(metrics, contract.heartbeats, allBeaten)),
    route(contract.ends, countItems(metrics, contract.ends, inBatches(contract.end, ended, log))),
  ].map((each): Route => ({ gathers: () => 'far', ...each }));
};
