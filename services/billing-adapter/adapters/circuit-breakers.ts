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
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** What the partner is asked for. */
export type Operation = 'check' | 'start' | 'renew' | 'stop';

/** Each operation has a bulkhead and a circuit of its own, so that none starves another (D-27). Times in ms. */
export const bounds: Readonly<Record<Operation, { atOnce: number; waiting: number; timeoutMs: number }>> = {
  check: { atOnce: 8, waiting: 500, timeoutMs: 2_000 },
  start: { atOnce: 16, waiting: 2_000, timeoutMs: 2_000 },
  renew: { atOnce: 8, waiting: 8, timeoutMs: 2_000 },
  stop: { atOnce: 16, waiting: 20_000, timeoutMs: 5_000 },
};

/** Half of the calls of ten seconds failed, and there were some: the partner is left alone for five seconds, then tried with one call. */
const breaking = { threshold: 0.5, duration: 10_000, minimumRps: 0.5 };
const halfOpenAfter = 5_000;

/** A way to the partner that knows when to leave it alone. */
export interface PartnerCircuit {
  /** Resolves to `otherwise` without calling when the circuit is open or too many wait. */
  run<T>(call: () => Promise<T>, otherwise: T): Promise<T>;
  /** Tells each time that the partner answers again after it did not. */
  onRecovered(listener: () => void): void;
}

interface GuardOptions {
  /** Whether an outcome speaks of trouble on the partner's side. */
  readonly isTrouble: (outcome: unknown) => boolean;
  readonly log: Log;
  readonly metrics: Metrics;
}

const states: Readonly<Record<CircuitState, number>> = {
  [CircuitState.Closed]: 0,
  [CircuitState.HalfOpen]: 1,
  [CircuitState.Open]: 2,
  [CircuitState.Isolated]: 2,
};

/** The guard of one operation. That its circuit opens and closes is said once each. */
export const createPartnerCircuit = (
  operation: Operation,
  { isTrouble, log, metrics }: GuardOptions,
): PartnerCircuit => {
  const { atOnce, waiting } = bounds[operation];
  const circuit = circuitBreaker(handleWhenResult(isTrouble), {
    breaker: new SamplingBreaker(breaking),
    halfOpenAfter,
  });
  const room = bulkhead(atOnce, waiting);
  const policy = wrap(room, circuit);
  const state = metrics.gauge('gsb_partner_circuit_state');
  const inFlight = metrics.gauge('gsb_partner_in_flight_requests');
  const note = () => inFlight.set({ operation }, atOnce - room.executionSlots);
  state.set({ operation }, 0);
  circuit.onStateChange((now) => state.set({ operation }, states[now]));
  circuit.onBreak(() => log.warn({ operation }, 'the partner is left alone: half of the calls failed'));
  circuit.onReset(() => log.info({ operation }, 'the partner answers again'));
  return {
    run: async (call, otherwise) => {
      try {
        return await policy.execute(() => {
          note();
          return call();
        });
      } catch (error) {
        if (isBrokenCircuitError(error) || isBulkheadRejectedError(error)) return otherwise;
        throw error;
      } finally {
        note();
      }
    },
    onRecovered: (listener) => void circuit.onReset(listener),
  };
};
