import type { BundleHandler, EventMeta, Outgoing, ReceivedEvent } from '#libs/contracts/delivery.ts';
import { isTooOld } from '../core/too-old.ts';
import type { Ports } from '../ports.ts';

type Heartbeat = ReceivedEvent<'game-session.heartbeat'>;
type Result = Awaited<ReturnType<Ports['partner']['renew'] | Ports['partner']['start']>>;

/** The heartbeats of one session: its newest state, and all callers that wait for the outcome. */
interface Beats {
  readonly session: Heartbeat['data']['session'];
  readonly requests: readonly EventMeta['request'][];
}

/** What the partner says of a session's billing. */
interface Answered extends Beats {
  readonly result: Result;
}

/** The partner is asked once about each session; of states that have the same version the later one counts. */
const bySession = (heartbeats: readonly Heartbeat[]): Beats[] => {
  const grouped = Map.groupBy(heartbeats, ({ data }) => data.session.gameSessionId);
  return [...grouped.values()].map((ofSession) => ({
    session: ofSession
      .map(({ data }) => data.session)
      .reduce((newest, each) => (each.version < newest.version ? newest : each)),
    requests: ofSession.map(({ meta }) => meta.request),
  }));
};

const renew = async ({ partner }: Ports, beats: Beats): Promise<Answered> => {
  const { gameSessionId, playDurationSec, lastSeenAtMs } = beats.session;
  return { ...beats, result: await partner.renew(gameSessionId, playDurationSec, lastSeenAtMs) };
};

/** Lets game-session look whether play is over: then what may be started here is stopped again (D-60). */
const sayUnknown = ({ publish }: Ports, { session: { gameSessionId } }: Beats): Promise<void> =>
  publish('billing.unknown', { gameSessionId });

/** Whether a heartbeat may start billing: not when it is so late that its session may be forgotten, nor when we have stopped it (D-60). */
const mayStart = ({ clock, stops }: Ports, { session }: Beats): boolean => {
  const { gameSessionId, lastSeenAtMs } = session;
  return !isTooOld(lastSeenAtMs, clock()) && stops.confirmedSec(gameSessionId) === undefined;
};

/**
 * A billing that the partner does not know has a start that is still pending, or was refused before a top-up: it is started under the same
 * id, from its first second (D-08, D-12).
 */
const start = async (ports: Ports, beats: Beats): Promise<Answered> => {
  await sayUnknown(ports, beats);
  const result = await ports.partner.start(beats.session);
  if (result.outcome === 'unknown') await sayUnknown(ports, beats);
  return { ...beats, result };
};

const isUnknownToPartner = ({ result }: Answered): boolean => result.outcome === 'none';

const isWaitedFor = (request: EventMeta['request']): boolean => request?.replyTo !== undefined;

/** A billing that goes on. */
interface GoesOn extends Answered {
  readonly result: Extract<Result, { outcome: 'renewed' | 'started' }>;
}
const goesOn = (answered: Answered): answered is GoesOn =>
  answered.result.outcome === 'renewed' || answered.result.outcome === 'started';

/** The events of a billing that goes on: one for each caller, and for nobody where its session is to be looked at (D-62). */
const renewalsOf = ({ session, requests, result }: GoesOn): Outgoing<'billing.renewed'>[] => {
  const { gameSessionId, state } = session;
  const recharges = state === 'charge_exhausted' || result.outcome === 'started';
  const data = { gameSessionId, remainingSec: result.remainingSec, recharges };
  const told = recharges ? requests : requests.filter(isWaitedFor);
  return told.map((request) => ({ data, request }));
};

const publishExhausted = async (
  { publish }: Ports,
  { session: { gameSessionId }, requests, result }: Answered,
): Promise<void> => {
  if (result.outcome !== 'exhausted' && result.outcome !== 'refused') return;
  await Promise.all(requests.map((request) => publish('billing.exhausted', { gameSessionId }, { request })));
};

const publishAnswers = async (ports: Ports, answers: readonly Answered[]): Promise<void> => {
  for (const { result } of answers) if (result.outcome === 'unknown') ports.renewalSkipped();
  const goingOn = answers.filter(goesOn);
  const renewals = goingOn.flatMap(renewalsOf);
  const renewed = renewals.length > 0 ? ports.publishAll('billing.renewed', renewals) : undefined;
  await Promise.all([renewed, ...answers.map((each) => publishExhausted(ports, each))]);
  const renewedFor = goingOn.reduce((sum, { requests }) => sum + requests.length, 0);
  ports.renewedUnsaid(renewedFor - renewals.length);
};

/**
 * Heartbeats renew billing. An unknown outcome is left to the next heartbeat: nobody is thrown out because the partner is slow (D-12). Those
 * that have to be started first hold up no other's answer.
 */
export const renewBillings = (ports: Ports): BundleHandler<'game-session.heartbeat'> => ({
  together: async (heartbeats) => {
    const answers = await Promise.all(bySession(heartbeats).map((each) => renew(ports, each)));
    await publishAnswers(
      ports,
      answers.filter((each) => !isUnknownToPartner(each)),
    );
    const unknown = answers.filter((each) => isUnknownToPartner(each) && mayStart(ports, each));
    await publishAnswers(ports, await Promise.all(unknown.map((each) => start(ports, each))));
  },
});
