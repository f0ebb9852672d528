import type { EventData, EventName } from '#libs/contracts/events.ts';
import { naming } from './find-events.ts';
import { ofEachHeartbeat } from './read-log.ts';
import type { ToldEvent } from './read-log.ts';

type Says = { readonly [N in EventName]?: (data: EventData<N>) => string };

const seconds = (sec: number | null | undefined): string =>
  sec === null || sec === undefined ? '?' : `${sec} s`;
const retried = ({ call, attempt, dueAtMs }: EventData<'billing-retry.scheduled'>): string =>
  `${call.operation}: no answer of the partner; attempt ${attempt} at ${new Date(dueAtMs).toISOString()}`;

/** What an event says beside its name. Never a player, whom who asks knows, nor a token (D-43). */
const says: Says = {
  'ott.requested': ({ gameId }) => `the launcher asks for a token for ${gameId}`,
  'ott.issued': ({ ott }) => `a token until ${new Date(ott.expiresAtMs).toISOString()}`,
  'ott.presented': ({ gameId }) => `a server of ${gameId} presents the token`,
  'ott.accepted': ({ overdue }) => (overdue ? 'the claim is called off (D-34)' : 'the token is claimed'),
  'ott.refused': ({ reason }) => `the token is refused: ${reason}`,
  'ott.given-back': () => 'the token can be presented again (D-03)',
  'ott.consumed': () => 'the token is spent',
  'ott.voided': () => 'a newer token replaced it',
  'ott.expired': () => 'nobody presented it in time',
  'billing.started': ({ pending, remainingSec }) =>
    pending
      ? 'the partner has not answered; play begins all the same (D-12)'
      : `the partner bills; balance ${seconds(remainingSec)}`,
  'billing.refused': ({ reason }) => `the partner does not bill: ${reason}`,
  'billing.confirmed': ({ outcome }) => `the partner has answered at last: ${outcome}`,
  'billing.exhausted': () => 'the partner says that the balance is used up',
  'billing.stopped': ({ partnerPlayDurationSec }) =>
    `the partner confirms ${seconds(partnerPlayDurationSec)}`,
  'billing-retry.scheduled': retried,
  'game-session.started': () => 'play begins',
  'game-session.exhausted': ({ session }) =>
    session.exhaustedAtMs === null
      ? 'no balance is left; the grace begins with the next heartbeat'
      : 'no balance is left; the grace runs (D-37)',
  'game-session.recharged': () => 'the balance was topped up; play goes on',
  'game-session.ending': ({ session, again }) => {
    if (again)
      return `play is over, ${seconds(session.playDurationSec)}: billing may have started since, and is stopped once more (D-60)`;
    return session.reminders > 0
      ? `published again, ${session.reminders} times: the stop is not confirmed (D-06)`
      : `play is over: ${session.endReason ?? '?'}, ${seconds(session.playDurationSec)} (the game measured ${seconds(session.clientPlayDurationSec)})`;
  },
  'game-session.ended': ({ session }) =>
    `billed ${seconds(session.partnerPlayDurationSec)} of ${seconds(session.playDurationSec)}`,
  'launcher-session.started': () => 'the launcher started on the PC',
  'launcher-session.lapsed': () => 'the launcher fell silent',
  'launcher-session.ended': () => 'the launcher ended',
};

const textOf = ({ name, data }: ToldEvent['event']): string =>
  (says[name] as ((known: unknown) => string) | undefined)?.(data) ?? '';

const line = ({ event, atMs, traceId }: ToldEvent): string => {
  const { requestId } = event.meta.request ?? {};
  const ids = [requestId, traceId && `trace ${traceId}`].filter(Boolean).join(' ');
  return `${new Date(atMs).toISOString()}  ${event.name.padEnd(24)} ${textOf(event)}${ids && `  [${ids}]`}`;
};

const isQuiet = ({ event }: ToldEvent): boolean => ofEachHeartbeat.has(event.name);

const heartbeatsIn = (events: readonly ToldEvent[]): string => {
  const count = (name: EventName) => events.filter(({ event }) => event.name === name).length;
  const until = new Date(events.at(-1)?.atMs ?? 0).toISOString();
  const [beats, renewals] = [count('game-session.heartbeat'), count('billing.renewed')];
  return `${until}  ${'…'.padEnd(24)} ${beats} heartbeats until here, ${renewals} waited for the partner and were told`;
};

/** Events as lines, in their order; those of heartbeats that follow each other are one line. */
export const linesOf = (events: readonly ToldEvent[]): string[] => {
  const lines: string[] = [];
  let quiet: ToldEvent[] = [];
  const flush = (): void => {
    if (quiet.length > 0) lines.push(heartbeatsIn(quiet));
    quiet = [];
  };
  for (const each of events) {
    if (isQuiet(each)) quiet.push(each);
    else {
      flush();
      lines.push(line(each));
    }
  }
  flush();
  return lines;
};

/** The sessions that events tell of, each with when it is first and last told of. */
export const summaries = (events: readonly ToldEvent[], sessions: ReadonlySet<string>): string[] =>
  [...sessions].map((id) => {
    const its = naming(id, events);
    const [first, last] = [its[0], its.at(-1)].map((each) => new Date(each?.atMs ?? 0).toISOString());
    return `${id}  ${first} to ${last}  ${its.length} events, the last ${its.at(-1)?.event.name ?? ''}`;
  });
