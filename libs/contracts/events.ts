import type { z } from 'zod';
import {
  billingConfirmed,
  billingExhausted,
  billingRefused,
  billingRenewed,
  billingRetry,
  billingStarted,
  billingStopped,
  billingUnknown,
} from './events/billing.ts';
import { cafeCheckAnswered, cafeCheckReply, cafeCheckRequested } from './events/cafe-checks.ts';
import { deadLetter } from './events/dead-letters.ts';
import { gameSessionChanged, gameSessionEnding, renewalReply } from './events/game-sessions.ts';
import { launcherSessionChanged, launcherSessionEnded } from './events/launcher-sessions.ts';
import {
  ottAccepted,
  ottChanged,
  ottGivenBack,
  ottIssued,
  ottPresented,
  ottRefused,
  ottReply,
  ottRequested,
  verifyReply,
} from './events/otts.ts';
import type { TopicName } from './topics.ts';
import type { Camel } from './wire.ts';

interface EventContract<S extends z.ZodType> {
  readonly topic: TopicName;
  /** The message key: messages with the same key stay in order. */
  readonly key: (data: Camel<z.output<S>>) => string;
  /** The id that tells among how many partitions messages are divided, where that is not the key (D-63). */
  readonly pinnedBy?: (data: Camel<z.output<S>>) => string;
  readonly data: S;
  readonly summary: string;
  /** Whether those of one moment may share a message (D-39). */
  readonly inBundles?: true;
  /** Where versions before this topic read it (D-54). */
  readonly formerTopic?: TopicName;
}

/** An event: its topic with the key, the schema of its data, and what it says. */
const event = <S extends z.ZodType>(
  place: Pick<EventContract<S>, 'topic' | 'key' | 'pinnedBy' | 'formerTopic'>,
  data: S,
  summary: string,
): EventContract<S> => ({ ...place, data, summary });

/** An event of which those of one moment may share a message (D-39). */
const bundled = <C extends object>(contract: C): C & { readonly inBundles: true } => ({
  ...contract,
  inBundles: true,
});

/** An event whose publisher waits for its outcome. `reply`: what that publisher receives; its names are camelCase. */
const request = <S extends z.ZodType, R extends z.ZodType>(
  contract: EventContract<S> & { readonly reply: R },
): EventContract<S> & { readonly reply: R } => contract;

const token = {
  formerTopic: 'otts.v1',
  key: (d: { ott: { tokenHash: string } }) => d.ott.tokenHash,
  pinnedBy: (d: { ott: { launcherSessionId: string } }) => d.ott.launcherSessionId,
} as const;
const claims = { ...token, topic: 'ott-claims.v1' } as const;
const order = {
  topic: 'billing.v1',
  key: (d: { order: { gameSessionId: string } }) => d.order.gameSessionId,
} as const;
const ofSession = (d: { gameSessionId: string }): string => d.gameSessionId;
const ofPresentation = (d: { presentationId: string }): string => d.presentationId;
const renewals = { topic: 'renewals.v1', formerTopic: 'billing.v1', key: ofSession } as const;

const onEnds = (summary: string) => event({ ...token, topic: 'ott-ends.v1' }, ottChanged, summary);
const session = {
  topic: 'game-sessions.v1',
  key: (d: { session: { gameSessionId: string } }) => d.session.gameSessionId,
} as const;
const heartbeats = { ...session, topic: 'heartbeats.v1', formerTopic: 'game-sessions.v1' } as const;
const changes = { ...session, topic: 'game-session-changes.v1', formerTopic: 'game-sessions.v1' } as const;
const onChanges = (summary: string) => event(changes, gameSessionChanged, summary);
const ofLauncher = (d: { launcherSessionId: string }): string => d.launcherSessionId;
const launchers = {
  topic: 'launcher-sessions.v1',
  key: (d: { pcId: string }) => d.pcId,
  pinnedBy: ofLauncher,
} as const;
const onLaunchers = (summary: string) => event(launchers, launcherSessionChanged, summary);

/** Every event between the services. An event's name is its CloudEvents type without the prefix `dev.gsb.`. */
export const events = {
  'cafe-check.requested': request({
    topic: 'cafe-checks.v1',
    key: (d) => d.ip,
    data: cafeCheckRequested,
    reply: cafeCheckReply,
    summary: 'The gateway asks which cafe an IP address belongs to.',
  }),
  'cafe-check.answered': event(
    { topic: 'cafe-verdicts.v1', key: (d) => d.ip },
    cafeCheckAnswered,
    'The partner told which cafe the IP address belongs to, or could not tell in time.',
  ),
  'ott.requested': request({
    topic: 'ott-requests.v1',
    key: (d) => d.pcId,
    pinnedBy: ofLauncher,
    data: ottRequested,
    reply: ottReply,
    summary: 'A launcher requests a token for a game.',
    inBundles: true,
  }),
  'ott.issued': bundled(event({ ...token, topic: 'ott-issuances.v1' }, ottIssued, 'A token was issued.')),
  'ott.accepted': bundled(
    event(
      claims,
      ottAccepted,
      'A presentation claimed the token; billing may start, unless the claim is overdue (D-34).',
    ),
  ),
  'ott.refused': event(
    {
      topic: 'ott-refusals.v1',
      formerTopic: 'otts.v1',
      key: (d) => d.tokenHash,
      pinnedBy: ofPresentation,
    },
    ottRefused,
    'A presentation was refused, with the reason.',
  ),
  'ott.given-back': event(
    claims,
    ottGivenBack,
    'Billing was not possible: the claim is given back, and the token can be presented again (D-03).',
  ),
  'ott.consumed': bundled(onEnds('Billing started: the token is consumed and stays so.')),
  'ott.voided': onEnds('A newer token for the same PC and game replaced this one.'),
  'ott.expired': onEnds('The token was not presented in time.'),
  'ott.presented': request({
    topic: 'ott-presentations.v1',
    key: (d) => d.tokenHash,
    pinnedBy: ofPresentation,
    data: ottPresented,
    reply: verifyReply,
    summary: 'A game server presents a token.',
    inBundles: true,
  }),
  'billing.started': bundled(
    event(
      order,
      billingStarted,
      'Billing of a game session started, or is pending until the partner confirms it (D-12).',
    ),
  ),
  'billing.refused': event(order, billingRefused, 'Billing of a game session did not start and never will.'),
  'billing.confirmed': event(
    order,
    billingConfirmed,
    'The partner confirmed or refused a start that was pending.',
  ),
  'billing.renewed': bundled(event(renewals, billingRenewed, 'The partner renewed a billing.')),
  'billing.exhausted': event(renewals, billingExhausted, "The cafe's balance is exhausted."),
  'billing.unknown': event(
    renewals,
    billingUnknown,
    'The partner knows no billing of a session that beats: it is started now, unless the session is over.',
  ),
  'billing.stopped': bundled(
    event(
      { topic: 'billing.v1', key: ofSession },
      billingStopped,
      'The partner confirmed that billing has stopped.',
    ),
  ),
  'billing-retry.scheduled': event(
    { topic: 'billing-retries.v1', key: (d) => d.gameSessionId },
    billingRetry,
    'A call to the partner has no known outcome and must be retried.',
  ),
  'game-session.started': bundled(onChanges('A game session started.')),
  'game-session.heartbeat': request({
    ...event(heartbeats, gameSessionChanged, 'A heartbeat was accepted: the player is still playing.'),
    reply: renewalReply,
    inBundles: true,
  }),
  'game-session.exhausted': onChanges(
    'The balance is exhausted; the grace period begins when a heartbeat has been answered so (D-37).',
  ),
  'game-session.recharged': onChanges('The balance was topped up within the grace period; play continues.'),
  'game-session.ending': bundled(
    event(session, gameSessionEnding, 'Play is over; billing has not stopped yet.'),
  ),
  'game-session.ended': bundled(onChanges('Play is over and billing has stopped.')),
  'launcher-session.started': onLaunchers('A launcher session started on a PC.'),
  'launcher-session.lapsed': onLaunchers('A launcher session had no heartbeat for too long.'),
  'launcher-session.ended': event(launchers, launcherSessionEnded, 'A launcher ended its session.'),
  'dead-letter.recorded': event(
    { topic: 'dead-letters.v1', key: (d) => d.topic },
    deadLetter,
    'A message was dead-lettered.',
  ),
} as const;

/** The name of an event. */
export type EventName = keyof typeof events;

/** The data of an event, with camelCase names. */
export type EventData<N extends EventName> = Camel<z.output<(typeof events)[N]['data']>>;

type Requests = {
  [
    N in EventName as (typeof events)[N] extends { readonly reply: z.ZodType } ? N : never
  ]: (typeof events)[N];
};

/** The name of an event that has a reply. */
export type RequestName = keyof Requests;

/** The reply to an event: what its waiting publisher receives. */
export type Reply<N extends RequestName> = z.output<Requests[N]['reply']>;

/** The CloudEvents type of an event. */
export const ceType = (name: EventName): string => `dev.gsb.${name}`;

/** Whether events of this name that come in one moment may share a message (D-39). */
export const comesInBundles = (name: EventName): boolean => 'inBundles' in events[name];
