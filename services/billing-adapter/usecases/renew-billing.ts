import type { BundleHandler, Outgoing, ReceivedEvent } from '#libs/contracts/delivery.ts';
import type { Ports } from '../ports.ts';

type Heartbeat = ReceivedEvent<'game-session.heartbeat'>;
type Result = Awaited<ReturnType<Ports['partner']['renew']>>;

/** What the partner says of a heartbeat's billing. */
interface Answered {
  readonly heartbeat: Heartbeat;
  readonly result: Result;
}

const renew = async ({ partner }: Ports, heartbeat: Heartbeat): Promise<Answered> => {
  const { gameSessionId, playDurationSec, lastSeenAtMs } = heartbeat.data.session;
  return { heartbeat, result: await partner.renew(gameSessionId, playDurationSec, lastSeenAtMs) };
};

/** The event of a billing that goes on; none for any other. */
const renewalOf = ({ heartbeat, result }: Answered): Outgoing<'billing.renewed'>[] => {
  const { session } = heartbeat.data;
  if (result.outcome !== 'renewed') return [];
  const { gameSessionId, state } = session;
  const recharges = state === 'charge_exhausted';
  const data = { gameSessionId, remainingSec: result.remainingSec, recharges };
  return [{ data, request: heartbeat.meta.request }];
};

/** What else there is to say: of a billing that the partner has stopped, and of an unknown outcome, nothing. */
const publishOther = async ({ publish }: Ports, { heartbeat, result }: Answered): Promise<void> => {
  const { gameSessionId } = heartbeat.data.session;
  const { request } = heartbeat.meta;
  if (result.outcome === 'exhausted') await publish('billing.exhausted', { gameSessionId }, { request });
  if (result.outcome === 'none') await publish('billing.unknown', { gameSessionId }, { request });
};

/**
 * Heartbeats renew billing. An unknown outcome is left to the next heartbeat: nobody is thrown out because the partner is slow (D-12). A
 * billing that the partner does not know is not started here, because its stop may have been before this heartbeat (D-60).
 */
export const renewBillings = (ports: Ports): BundleHandler<'game-session.heartbeat'> => ({
  together: async (heartbeats) => {
    const answers = await Promise.all(heartbeats.map((heartbeat) => renew(ports, heartbeat)));
    for (const { result } of answers) if (result.outcome === 'unknown') ports.renewalSkipped();
    const renewals = answers.flatMap(renewalOf);
    const renewed = renewals.length > 0 ? ports.publishAll('billing.renewed', renewals) : undefined;
    await Promise.all([renewed, ...answers.map((each) => publishOther(ports, each))]);
  },
});
