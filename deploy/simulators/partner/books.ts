import type { z } from 'zod';
import type { partnerBilling, renewBody, startBody, stopBody } from '#libs/contracts/partner.ts';

type Billing = z.output<typeof partnerBilling>;
type Renewal = z.output<typeof renewBody>['renewals'][number];

/** A cafe of the partner: its addresses, and the balance that its PCs share, in seconds. */
export interface Cafe {
  readonly cafeId: string;
  readonly ips: readonly string[];
  remainingSec: number;
}

/** The partner's books: pure, in memory, the one simulated thing. */
export interface Books {
  cafeOf(ip: string): string | undefined;
  start(order: z.output<typeof startBody>): { isNew: boolean; remainingSec: number } | 'insufficient';
  renew(renewal: Renewal): {
    billing_id: string;
    status: 'renewed' | 'exhausted' | 'unknown' | 'stopped';
    remaining_sec: number;
  };
  stop(billingId: string, order: z.output<typeof stopBody>): number | undefined;
  setBalance(cafeId: string, remainingSec: number): boolean;
  /** Counts a request that arrived for a billing, whatever becomes of it. */
  count(billingId: string, operation: 'start' | 'renew' | 'stop'): void;
  billings(): Billing[];
}

type Counts = Record<'start' | 'renew' | 'stop', number>;

/** Books over some cafes. Play draws the shared balance down as it is reported; a started billing plays on until its cafe's balance is used up. */
export const createBooks = (cafes: readonly Cafe[]): Books => {
  const billings = new Map<string, Omit<Billing, 'requests'>>();
  const counts = new Map<string, Counts>();
  const cafeById = (cafeId: string) => cafes.find((cafe) => cafe.cafeId === cafeId);
  const remaining = (cafeId: string) => cafeById(cafeId)?.remainingSec ?? 0;
  const draw = (billing: Omit<Billing, 'requests'>, playDurationSec: number): void => {
    const cafe = cafeById(billing.cafe_id);
    const more = Math.max(0, playDurationSec - billing.play_duration_sec);
    if (cafe) cafe.remainingSec = Math.max(0, cafe.remainingSec - more);
    billing.play_duration_sec += more;
  };
  const countsOf = (billingId: string): Counts => counts.get(billingId) ?? { start: 0, renew: 0, stop: 0 };
  return {
    cafeOf: (ip) => cafes.find(({ ips }) => ips.includes(ip))?.cafeId,
    start: (order) => {
      const known = billings.get(order.billing_id);
      if (known) return { isNew: false, remainingSec: remaining(known.cafe_id) };
      if (remaining(order.cafe_id) <= 0) return 'insufficient';
      billings.set(order.billing_id, { ...order, status: 'started', stopped_at: null, play_duration_sec: 0 });
      return { isNew: true, remainingSec: remaining(order.cafe_id) };
    },
    renew: ({ billing_id, play_duration_sec }) => {
      const billing = billings.get(billing_id);
      if (billing === undefined) return { billing_id, status: 'unknown', remaining_sec: 0 };
      if (billing.status === 'stopped')
        return { billing_id, status: 'stopped', remaining_sec: remaining(billing.cafe_id) };
      draw(billing, play_duration_sec);
      const remaining_sec = remaining(billing.cafe_id);
      return { billing_id, status: remaining_sec > 0 ? 'renewed' : 'exhausted', remaining_sec };
    },
    stop: (billingId, { play_duration_sec, stopped_at }) => {
      const billing = billings.get(billingId);
      if (billing === undefined) return undefined;
      if (billing.status === 'started') {
        draw(billing, play_duration_sec);
        Object.assign(billing, { status: 'stopped', stopped_at, play_duration_sec });
      }
      return billing.play_duration_sec;
    },
    setBalance: (cafeId, remainingSec) => {
      const cafe = cafeById(cafeId);
      if (cafe) cafe.remainingSec = remainingSec;
      return cafe !== undefined;
    },
    count: (billingId, operation) => {
      const before = countsOf(billingId);
      counts.set(billingId, { ...before, [operation]: before[operation] + 1 });
    },
    billings: () =>
      [...billings.values()].map((billing) => ({ ...billing, requests: countsOf(billing.billing_id) })),
  };
};

/** The calendar day of an instant in Seoul, `YYYY-MM-DD`. */
export const dayInSeoul = (instant: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Seoul' }).format(new Date(instant));
