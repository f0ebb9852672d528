import type { Publish, PublishAll } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';

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
export interface Unknown {
  readonly outcome: 'unknown';
  readonly reason: string;
  /** Whether the partner itself is in trouble: no response, 401, 403, 408, 429, 5xx, or nonsense; another 4xx is about the one call. */
  readonly isOutage: boolean;
}

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

/** Why a start is refused. */
export type StartRefusal = EventData<'billing.refused'>['reason'];

/** A try of a call to the partner that is retried through the log, and when the call first failed (ms since the epoch). */
export interface RetriedCall {
  readonly operation: Calls['operation'];
  readonly gameSessionId: string;
  readonly firstFailedAtMs: number;
  readonly attempt: number;
  /** Of a stop of billing that has started again (D-60). */
  readonly again?: boolean | undefined;
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly partner: Partner;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Makes a call, and resolves to its result when others that began with it have theirs, or soon: what comes of them is published together (D-56). */
  together<T>(call: () => Promise<T>): Promise<T>;
  /** Before work that nobody waits for: resolves later where there is no core to spare (D-61). */
  giveWay(): Promise<void>;
  /** Resolves when a call that is due then may be made again (D-27). */
  retryTurn(operation: 'start' | 'stop', when: { dueAtMs: number; firstFailedAtMs: number }): Promise<void>;
  /**
   * Starts that were refused a moment ago: a redelivered order gets the same refusal, and a top-up in between is for the next verify (D-03).
   * Memory suffices: a start that another process makes after the refusal begins no session, and is stopped (D-34).
   */
  readonly refusals: {
    of(gameSessionId: string): StartRefusal | undefined;
    keep(gameSessionId: string, reason: StartRefusal): void;
  };
  /**
   * A call has one chain of retries, whatever is redelivered: `ending` is published until the partner has confirmed, and each delivery of it
   * and of its first reminder that fails would begin another one; a redelivered try whose successor is on the log would fork it.
   */
  readonly retries: {
    /** Whether this try is of the oldest chain, and has no successor yet. */
    goesOn(call: RetriedCall): boolean;
    /** The next try is on the log. */
    scheduled(call: RetriedCall): void;
    /** The call has its outcome. */
    done(call: RetriedCall): void;
  };
  /**
   * A session has one stop in hand, however often its end is published: while a stop or its retries are in hand, a reminder is not another
   * call; after the partner has confirmed it, a reminder only publishes that again (D-27), and nothing where it was on its way already. A stop that is
   * made again is never in hand: another process may have had the outcome of the one before, and billing may have started since (D-60).
   */
  readonly stops: {
    /** The seconds that the partner confirmed; undefined: this process does not know that it has. */
    confirmedSec(gameSessionId: string): number | undefined;
    confirm(gameSessionId: string, playDurationSec: number): void;
    /** The log has the confirmation now. */
    told(gameSessionId: string): void;
    /** Whether the log has had the confirmation since then (ms since the epoch): who asked before has heard it, or will. */
    toldSince(gameSessionId: string, sinceMs: number): boolean;
    isInHand(order: StopOrder): boolean;
    take(order: StopOrder): void;
    release(order: StopOrder): void;
  };
  /** Counts a renewal without an outcome: the next heartbeat renews. */
  renewalSkipped(): void;
  /** The partner renewed billings at so many heartbeats of which no event tells, because nobody waits (D-62). */
  renewedUnsaid(count: number): void;
  readonly publish: Publish;
  readonly publishAll: PublishAll;
}
