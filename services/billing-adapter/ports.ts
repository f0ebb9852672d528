import type { EventData, EventName } from '#libs/contracts/events.ts';

/** All that is known of a billing when it starts. */
export type BillingOrder = EventData<'billing.started'>['order'];
/** All that the partner needs to start a billing. */
export type StartOrder = Pick<
  BillingOrder,
  'gameSessionId' | 'cafeId' | 'pcId' | 'gameId' | 'providerUserId' | 'startedAtMs'
>;
type Calls = EventData<'billing-retry.scheduled'>['call'];
/** What the partner is told when play is over; `played` is null when nothing was. */
export type StopOrder = Extract<Calls, { operation: 'stop' }>['order'];

/** `unknown`: no answer, or none that can be believed; it may or may not have happened, and is asked again with the same id. */
export type Unknown = { readonly outcome: 'unknown'; readonly reason: string };

/** The PC-cafe auth server, in our words. Nothing here throws: every call has an outcome. */
export interface Partner {
  cafeOf(ip: string): Promise<{ outcome: 'known'; cafeId: string } | { outcome: 'none' } | Unknown>;
  start(
    order: StartOrder,
  ): Promise<{ outcome: 'started'; remainingSec: number } | { outcome: 'refused' } | Unknown>;
  renew(
    gameSessionId: string,
    playDurationSec: number,
    atMs: number,
  ): Promise<
    | { outcome: 'renewed'; remainingSec: number }
    | { outcome: 'exhausted' }
    | { outcome: 'stopped' | 'none' }
    | Unknown
  >;
  stop(
    order: StopOrder,
  ): Promise<{ outcome: 'stopped'; playDurationSec: number } | { outcome: 'none' } | Unknown>;
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly partner: Partner;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Until when somebody waits for what is being done, in ms since the epoch; undefined: nobody does. */
  deadlineMs(): number | undefined;
  /** Resolves when a call that is due then may be made again. */
  turn(operation: 'start' | 'stop', when: { dueAtMs: number; firstFailedAtMs: number }): Promise<void>;
  /** Counts a renewal that is left to the next heartbeat. */
  renewalSkipped(): void;
  publish<N extends EventName>(name: N, data: EventData<N>): Promise<void>;
}
