import type { BundleHandler, Outgoing, ReceivedEvent } from '#libs/contracts/delivery.ts';
import { isTooOld } from '../core/too-old.ts';
import type { Ports } from '../ports.ts';

type Heartbeat = ReceivedEvent<'game-session.heartbeat'>;
type Result = Awaited<ReturnType<Ports['partner']['renew'] | Ports['partner']['start']>>;

/** What the partner says of a heartbeat's billing. */
interface Answered {
  readonly heartbeat: Heartbeat;
  readonly result: Result;
}

const renew = async ({ partner }: Ports, heartbeat: Heartbeat): Promise<Answered> => {
  const { gameSessionId, playDurationSec, lastSeenAtMs } = heartbeat.data.session;
  return { heartbeat, result: await partner.renew(gameSessionId, playDurationSec, lastSeenAtMs) };
};

/** Lets game-session look whether play is over: then what may be started here is stopped again (D-60). */
const sayUnknown = ({ publish }: Ports, { data }: Heartbeat): Promise<void> =>
  publish('billing.unknown', { gameSessionId: data.session.gameSessionId });

/** Whether a heartbeat may start billing: not when it is so late that its session may be forgotten, nor when we have stopped it (D-60). */
const mayStart = ({ clock, stops }: Ports, { heartbeat }: Answered): boolean => {
  const { gameSessionId, lastSeenAtMs } = heartbeat.data.session;
  return !isTooOld(lastSeenAtMs, clock()) && stops.confirmedSec(gameSessionId) === undefined;
};

/**
 * A billing that the partner does not know has a start that is still pending, or was refused before a top-up: it is started under the same
 * id, from its first second (D-08, D-12).
 */
const start = async (ports: Ports, { heartbeat }: Answered): Promise<Answered> => {
  const { session } = heartbeat.data;
  await sayUnknown(ports, heartbeat);
  const result = await ports.partner.start(session);
  if (result.outcome === 'unknown') await sayUnknown(ports, heartbeat);
  return { heartbeat, result };
};

const isUnknownToPartner = ({ result }: Answered): boolean => result.outcome === 'none';

/** The event of a billing that goes on; none for any other. */
const renewalOf = ({ heartbeat, result }: Answered): Outgoing<'billing.renewed'>[] => {
  const { session } = heartbeat.data;
  if (result.outcome !== 'renewed' && result.outcome !== 'started') return [];
  const { gameSessionId, state } = session;
  const recharges = state === 'charge_exhausted' || result.outcome === 'started';
  const data = { gameSessionId, remainingSec: result.remainingSec, recharges };
  return [{ data, request: heartbeat.meta.request }];
};

const publishExhausted = async (
  { publish }: Ports,
  { heartbeat: { data, meta }, result }: Answered,
): Promise<void> => {
  const { gameSessionId } = data.session;
  if (result.outcome === 'exhausted' || result.outcome === 'refused')
    await publish('billing.exhausted', { gameSessionId }, { request: meta.request });
};

const publishAnswers = async (ports: Ports, answers: readonly Answered[]): Promise<void> => {
  for (const { result } of answers) if (result.outcome === 'unknown') ports.renewalSkipped();
  const renewals = answers.flatMap(renewalOf);
  const renewed = renewals.length > 0 ? ports.publishAll('billing.renewed', renewals) : undefined;
  await Promise.all([renewed, ...answers.map((each) => publishExhausted(ports, each))]);
};

/**
 * Heartbeats renew billing. An unknown outcome is left to the next heartbeat: nobody is thrown out because the partner is slow (D-12). Those
 * that have to be started first hold up no other's answer.
 */
export const renewBillings = (ports: Ports): BundleHandler<'game-session.heartbeat'> => ({
  together: async (heartbeats) => {
    const answers = await Promise.all(heartbeats.map((heartbeat) => renew(ports, heartbeat)));
    await publishAnswers(
      ports,
      answers.filter((each) => !isUnknownToPartner(each)),
    );
    const unknown = answers.filter((each) => isUnknownToPartner(each) && mayStart(ports, each));
    await publishAnswers(ports, await Promise.all(unknown.map((each) => start(ports, each))));
  },
});
