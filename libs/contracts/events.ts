import type { z } from 'zod';
import {
  billingConfirmed,
  billingExhausted,
  billingRefused,
  billingRenewed,
  billingRetry,
  billingStarted,
  billingStopped,
} from './events/billing.ts';
import { cafeCheckAnswered, cafeCheckReply, cafeCheckRequested } from './events/cafe-checks.ts';
import { deadLetter } from './events/dead-letters.ts';
import { gameSessionChanged, renewalReply } from './events/game-sessions.ts';
import { launcherSessionChanged } from './events/launcher-sessions.ts';
import {
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
  /** What keeps the order: the message key. */
  readonly key: (data: Camel<z.output<S>>) => string;
  readonly data: S;
  readonly summary: string;
}

const event = <S extends z.ZodType>(contract: EventContract<S>): EventContract<S> => contract;

/** An event for whose outcome somebody waits. `reply`: what that caller receives, named as inside a process. */
const request = <S extends z.ZodType, R extends z.ZodType>(
  contract: EventContract<S> & { readonly reply: R },
): EventContract<S> & { readonly reply: R } => contract;

const onOtts = (summary: string) =>
  event({ topic: 'otts.v1', key: (d) => d.ott.tokenHash, data: ottChanged, summary });
const onSessions = (summary: string) =>
  event({
    topic: 'game-sessions.v1',
    key: (d) => d.session.gameSessionId,
    data: gameSessionChanged,
    summary,
  });
const onLaunchers = (summary: string) =>
  event({ topic: 'launcher-sessions.v1', key: (d) => d.pcId, data: launcherSessionChanged, summary });

/** Everything that is said between services. The names are the CloudEvents types, without their prefix. */
export const events = {
  'cafe-check.requested': request({
    topic: 'cafe-checks.v1',
    key: (d) => d.ip,
    data: cafeCheckRequested,
    reply: cafeCheckReply,
    summary: 'The gateway asks whose address this is.',
  }),
  'cafe-check.answered': event({
    topic: 'cafe-verdicts.v1',
    key: (d) => d.ip,
    data: cafeCheckAnswered,
    summary: 'The partner said whose address it is.',
  }),
  'ott.requested': request({
    topic: 'ott-requests.v1',
    key: (d) => d.pcId,
    data: ottRequested,
    reply: ottReply,
    summary: 'A launcher asks for a token for a game.',
  }),
  'ott.issued': event({
    topic: 'otts.v1',
    key: (d) => d.ott.tokenHash,
    data: ottIssued,
    summary: 'A token was minted.',
  }),
  'ott.accepted': onOtts('A presentation claimed the token; billing may start.'),
  'ott.refused': event({
    topic: 'otts.v1',
    key: (d) => d.tokenHash,
    data: ottRefused,
    summary: 'A presentation was turned back, with the reason.',
  }),
  'ott.given-back': event({
    topic: 'otts.v1',
    key: (d) => d.ott.tokenHash,
    data: ottGivenBack,
    summary: 'Billing was not possible: the token is free again (D-03).',
  }),
  'ott.consumed': onOtts('Billing started: the token is spent for good.'),
  'ott.voided': onOtts('A newer token for the same PC and game took its place.'),
  'ott.expired': onOtts('Nobody presented the token in time.'),
  'ott.presented': request({
    topic: 'ott-presentations.v1',
    key: (d) => d.tokenHash,
    data: ottPresented,
    reply: verifyReply,
    summary: 'A game server presents a token.',
  }),
  'billing.started': event({
    topic: 'billing.v1',
    key: (d) => d.order.gameSessionId,
    data: billingStarted,
    summary: 'Billing of a game session runs.',
  }),
  'billing.refused': event({
    topic: 'billing.v1',
    key: (d) => d.order.gameSessionId,
    data: billingRefused,
    summary: 'Billing did not start, for good.',
  }),
  'billing.confirmed': event({
    topic: 'billing.v1',
    key: (d) => d.order.gameSessionId,
    data: billingConfirmed,
    summary: 'The partner has said what became of a start that was pending.',
  }),
  'billing.renewed': event({
    topic: 'billing.v1',
    key: (d) => d.gameSessionId,
    data: billingRenewed,
    summary: 'The partner renewed a billing.',
  }),
  'billing.exhausted': event({
    topic: 'billing.v1',
    key: (d) => d.gameSessionId,
    data: billingExhausted,
    summary: "The cafe's balance is used up.",
  }),
  'billing.stopped': event({
    topic: 'billing.v1',
    key: (d) => d.gameSessionId,
    data: billingStopped,
    summary: 'The partner confirmed that billing has stopped.',
  }),
  'billing-retry.scheduled': event({
    topic: 'billing-retries.v1',
    key: (d) => d.gameSessionId,
    data: billingRetry,
    summary: 'A call to the partner must be made again.',
  }),
  'game-session.started': onSessions('A game session began.'),
  'game-session.heartbeat': request({
    ...onSessions('The game server said that the player still plays.'),
    reply: renewalReply,
  }),
  'game-session.exhausted': onSessions('The balance ran out; the grace period began.'),
  'game-session.recharged': onSessions('A top-up came within the grace; play goes on.'),
  'game-session.ending': onSessions('Play is over; billing has yet to stop.'),
  'game-session.ended': onSessions('Play is over and billing has stopped.'),
  'launcher-session.started': onLaunchers('A launcher session began on a PC.'),
  'launcher-session.lapsed': onLaunchers('A launcher fell silent for too long.'),
  'launcher-session.ended': onLaunchers('A launcher closed its session.'),
  'dead-letter.recorded': event({
    topic: 'dead-letters.v1',
    key: (d) => d.topic,
    data: deadLetter,
    summary: 'A message was set aside.',
  }),
} as const;

/** The name of an event. */
export type EventName = keyof typeof events;

/** What an event says, as it is named inside a process. */
export type EventData<N extends EventName> = Camel<z.output<(typeof events)[N]['data']>>;

type Requests = {
  [
    N in EventName as (typeof events)[N] extends { readonly reply: z.ZodType } ? N : never
  ]: (typeof events)[N];
};

/** The name of an event for whose outcome somebody waits. */
export type RequestName = keyof Requests;

/** What the caller that waits for the outcome of an event receives. */
export type Reply<N extends RequestName> = z.output<Requests[N]['reply']>;

/** The CloudEvents type of an event. */
export const ceType = (name: EventName): string => `dev.gsb.${name}`;
