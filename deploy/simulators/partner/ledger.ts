import type { z } from 'zod';
import type { cafeBody } from './control-api.ts';
import type { renewBody, simulatedBilling, startBody, stopBody } from './partner-api.ts';

type Billing = z.output<typeof simulatedBilling>;
type Renewal = z.output<typeof renewBody>['renewals'][number];

/** A cafe of the partner: its addresses, and the balance that its PCs share, in seconds. */
export interface Cafe {
  readonly cafeId: string;
  ips: readonly string[];
  remainingSec: number;
}

/** The billings of the simulated partner and the balances of its cafes, in memory. */
export interface Ledger {
  cafeOf(ip: string): string | undefined;
  start(order: z.output<typeof startBody>): { isNew: boolean; remainingSec: number } | 'insufficient';
  renew(renewal: Renewal): {
    billing_id: string;
    status: 'renewed' | 'exhausted' | 'unknown' | 'stopped';
    remaining_sec: number;
  };
  stop(billingId: string, order: z.output<typeof stopBody>): number | undefined;
  changeCafe(cafeId: string, change: z.output<typeof cafeBody>): boolean;
  /** Counts a request that arrived for a billing, whatever becomes of it. */
  count(billingId: string, operation: 'start' | 'renew' | 'stop'): void;
  billings(): Billing[];
}

type Counts = Record<'start' | 'renew' | 'stop', number>;
type Entry = Omit<Billing, 'requests'>;

const none: Counts = { start: 0, renew: 0, stop: 0 };

/** The prepaid seconds of each cafe, which shrink as play is reported. */
const createBalances = (cafes: readonly Cafe[]) => {
  const byId = (cafeId: string) => cafes.find((cafe) => cafe.cafeId === cafeId);
  return {
    left: (cafeId: string) => byId(cafeId)?.remainingSec ?? 0,
    change: (cafeId: string, { remaining_sec, ips }: z.output<typeof cafeBody>): boolean => {
      const cafe = byId(cafeId);
      if (cafe && remaining_sec !== undefined) cafe.remainingSec = remaining_sec;
      if (cafe && ips !== undefined) cafe.ips = ips;
      return cafe !== undefined;
    },
    draw: (billing: Entry, playDurationSec: number): void => {
      const cafe = byId(billing.cafe_id);
      const more = Math.max(0, playDurationSec - billing.play_duration_sec);
      if (cafe) cafe.remainingSec = Math.max(0, cafe.remainingSec - more);
      billing.play_duration_sec += more;
    },
  };
};

type Balances = ReturnType<typeof createBalances>;

const renewIn =
  (billings: ReadonlyMap<string, Entry>, balances: Balances): Ledger['renew'] =>
  ({ billing_id, play_duration_sec }) => {
    const billing = billings.get(billing_id);
    if (billing === undefined) return { billing_id, status: 'unknown', remaining_sec: 0 };
    const left = () => balances.left(billing.cafe_id);
    if (billing.status === 'stopped') return { billing_id, status: 'stopped', remaining_sec: left() };
    balances.draw(billing, play_duration_sec);
    return { billing_id, status: left() > 0 ? 'renewed' : 'exhausted', remaining_sec: left() };
  };

const stopIn =
  (billings: ReadonlyMap<string, Entry>, balances: Balances): Ledger['stop'] =>
  (billingId, { play_duration_sec, stopped_at }) => {
    const billing = billings.get(billingId);
    if (billing?.status === 'started') {
      balances.draw(billing, play_duration_sec);
      Object.assign(billing, { status: 'stopped', stopped_at, play_duration_sec });
    }
    return billing?.play_duration_sec;
  };

/** An empty ledger over some cafes. A started billing plays on until it is stopped; the first stop counts. */
export const createLedger = (cafes: readonly Cafe[]): Ledger => {
  const billings = new Map<string, Entry>();
  const counts = new Map<string, Counts>();
  const balances = createBalances(cafes);
  const countsOf = (billingId: string): Counts => counts.get(billingId) ?? none;
  return {
    cafeOf: (ip) => cafes.find(({ ips }) => ips.includes(ip))?.cafeId,
    start: (order) => {
      const known = billings.get(order.billing_id);
      if (known) return { isNew: false, remainingSec: balances.left(known.cafe_id) };
      if (balances.left(order.cafe_id) <= 0) return 'insufficient';
      billings.set(order.billing_id, { ...order, status: 'started', stopped_at: null, play_duration_sec: 0 });
      return { isNew: true, remainingSec: balances.left(order.cafe_id) };
    },
    renew: renewIn(billings, balances),
    stop: stopIn(billings, balances),
    changeCafe: balances.change,
    count: (billingId, operation) => {
      const before = countsOf(billingId);
      counts.set(billingId, { ...before, [operation]: before[operation] + 1 });
    },
    billings: () =>
      [...billings.values()].map((billing) => ({ ...billing, requests: countsOf(billing.billing_id) })),
  };
};

/** The calendar day of an instant in a time zone, `YYYY-MM-DD`. */
export const daysIn = (timeZone: string): ((instant: string) => string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone });
  return (instant) => format.format(new Date(instant));
};
