import {
  CircuitState,
  SamplingBreaker,
  bulkhead,
  circuitBreaker,
  handleWhenResult,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  wrap,
} from 'cockatiel';
import type { CircuitBreakerPolicy } from 'cockatiel';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** The operations of the partner's API that are called during play. */
export type Operation = 'check' | 'start' | 'renew' | 'stop';

/** How many calls of each operation a process has in flight at the partner at most, each on a connection of its own. */
export type InFlight = Readonly<Record<Operation, number>>;

/** Where nothing else is set. Each carries as many calls a second as it is, divided by the seconds that the partner takes. */
export const usualInFlight: InFlight = { check: 8, start: 16, renew: 8, stop: 16 };

/**
 * Each operation has a bulkhead (calls in flight and waiting) and a circuit of its own, so that none starves another (D-27). Checks, starts
 * and stops together hold fewer messages than make the consumer pause, whatever is set to be in flight: a call beyond its bulkhead has no
 * outcome at once, and a start or stop goes to the retries on the log. Stops wait on the log before they come to that (D-60). The batcher has
 * at most 500 renewals in hand for each call in flight, each for two calls' time at most; even where each is a message of its own only
 * heartbeats are paused, which nothing else waits for. Where `KAFKA_BUNDLES=false` they share their topic, and may hold up the others for as
 * long. Times in ms.
 */
export const bounds: Readonly<Record<Operation, { waiting: number; timeoutMs: number }>> = {
  check: { waiting: 100, timeoutMs: 2_000 },
  start: { waiting: 700, timeoutMs: 2_000 },
  renew: { waiting: 8, timeoutMs: 2_000 },
  stop: { waiting: 200, timeoutMs: 5_000 },
};

/** The circuit opens when half of the calls of ten seconds failed, of at least one in two seconds; after five seconds one call probes it. */
const breaking = { threshold: 0.5, duration: 10_000, minimumRps: 0.5 };
const defaultProbeAfterMs = 5_000;

/** Calls of one operation, within its bulkhead and its circuit. */
export interface PartnerCircuit {
  /** Resolves to `fallback` without calling when the circuit is open or too many calls wait. */
  run<T>(call: () => Promise<T>, fallback: T): Promise<T>;
  /** Calls the listener each time the circuit closes again. */
  onRecovered(listener: () => void): void;
}

interface PartnerCircuitOptions {
  /** How many calls are in flight at most. */
  readonly inFlight: number;
  /** Whether an outcome counts as a failure of the partner. */
  readonly isFailure: (outcome: unknown) => boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  /** After how long an open circuit tries one call, in ms. */
  readonly probeAfterMs?: number;
}

const states: Readonly<Record<CircuitState, number>> = {
  [CircuitState.Closed]: 0,
  [CircuitState.HalfOpen]: 1,
  [CircuitState.Open]: 2,
  [CircuitState.Isolated]: 2,
};

/** Tells that a circuit opens, and that it is closed again: a probe that fails opens it every five seconds, which is no news. */
const logOutages = (circuit: CircuitBreakerPolicy, operation: Operation, log: Log): void => {
  let isAway = false;
  circuit.onBreak(() => {
    if (!isAway) log.warn({ operation }, 'the partner is left alone: half of the calls failed');
    isAway = true;
  });
  circuit.onReset(() => {
    log.info({ operation }, 'the partner answers again');
    isAway = false;
  });
};

/** Tells the state: an open circuit that nobody needs is half open as soon as the next call would probe it. */
const tellState = (
  circuit: CircuitBreakerPolicy,
  tell: (state: number) => void,
  probeAfterMs: number,
): void => {
  let timer: NodeJS.Timeout | undefined;
  tell(states[CircuitState.Closed]);
  circuit.onStateChange((now) => {
    clearTimeout(timer);
    tell(states[now]);
    if (now === CircuitState.Open)
      timer = setTimeout(tell, probeAfterMs, states[CircuitState.HalfOpen]).unref();
  });
};

/** The bulkhead and circuit of one operation; an outage is logged once when it begins and once when it is over. */
export const createPartnerCircuit = (
  operation: Operation,
  { inFlight: most, isFailure, log, metrics, probeAfterMs = defaultProbeAfterMs }: PartnerCircuitOptions,
): PartnerCircuit => {
  const circuit = circuitBreaker(handleWhenResult(isFailure), {
    breaker: new SamplingBreaker(breaking),
    halfOpenAfter: probeAfterMs,
  });
  const slots = bulkhead(most, bounds[operation].waiting);
  const policy = wrap(slots, circuit);
  const state = metrics.gauge('gsb_partner_circuit_state');
  const inFlight = metrics.gauge('gsb_partner_in_flight_requests');
  const refusals = metrics.counter('gsb_partner_calls_refused_total');
  const note = () => inFlight.set({ operation }, most - slots.executionSlots);
  tellState(circuit, (now) => state.set({ operation }, now), probeAfterMs);
  logOutages(circuit, operation, log);
  return {
    run: async (call, fallback) => {
      try {
        return await policy.execute(() => {
          note();
          return call();
        });
      } catch (error) {
        const isOpen = isBrokenCircuitError(error);
        if (!isOpen && !isBulkheadRejectedError(error)) throw error;
        refusals.inc({ operation, reason: isOpen ? 'circuit_open' : 'bulkhead_full' });
        return fallback;
      } finally {
        note();
      }
    },
    onRecovered: (listener) => void circuit.onReset(listener),
  };
};
