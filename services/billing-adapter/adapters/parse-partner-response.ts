import type { z } from 'zod';
import {
  cafeResponse,
  renewResponse,
  startResponse,
  startRefusal,
  stopResponse,
} from '#libs/contracts/partner.ts';
import type { Partner, Unknown } from '../ports.ts';

/** What the partner's server said: a status and a JSON value, or undefined where the body was none. */
export interface PartnerResponse {
  readonly status: number;
  readonly json: unknown;
}

type Outcome<K extends keyof Partner> = Awaited<ReturnType<Partner[K]>>;

/** No believable answer: whatever it was, it is asked again. */
export const unknown = (reason: string): Unknown => ({ outcome: 'unknown', reason });

const unexpected = ({ status }: PartnerResponse): Unknown =>
  unknown(`status ${status}, or a body of another shape`);

const believed = <S extends z.ZodType, T>(
  schema: S,
  said: PartnerResponse,
  read: (answer: z.output<S>) => T,
): T | Unknown => {
  const { success, data } = schema.safeParse(said.json);
  return success ? read(data) : unexpected(said);
};

/** GET /v1/cafes. */
export const parseCafe = (said: PartnerResponse): Outcome<'cafeOf'> => {
  if (said.status === 404) return { outcome: 'none' };
  if (said.status !== 200) return unexpected(said);
  return believed(cafeResponse, said, ({ cafe_id: cafeId }) => ({ outcome: 'known', cafeId }));
};

/** POST /v1/billings. */
export const parseStart = (said: PartnerResponse): Outcome<'start'> => {
  if (said.status === 402) return believed(startRefusal, said, () => ({ outcome: 'refused' }));
  if (said.status !== 201 && said.status !== 200) return unexpected(said);
  return believed(startResponse, said, ({ remaining_sec: remainingSec }) => ({
    outcome: 'started',
    remainingSec,
  }));
};

/** POST /v1/billings/{billing_id}/stop. */
export const parseStop = (said: PartnerResponse): Outcome<'stop'> => {
  if (said.status === 404) return { outcome: 'none' };
  if (said.status !== 200) return unexpected(said);
  return believed(stopResponse, said, ({ play_duration_sec: playDurationSec }) => ({
    outcome: 'stopped',
    playDurationSec,
  }));
};

interface RenewResults {
  readonly outcome: 'results';
  of(billingId: string): Outcome<'renew'>;
}

/** POST /v1/billings/renewals: the outcome of each billing in it. */
export const parseRenewals = (said: PartnerResponse): RenewResults | Unknown => {
  const { success, data } = renewResponse.safeParse(said.json);
  if (said.status !== 200 || !success) return unexpected(said);
  const results = Map.groupBy(data.results, ({ billing_id }) => billing_id);
  const of = (billingId: string): Outcome<'renew'> => {
    const [result, ...others] = results.get(billingId) ?? [];
    if (result === undefined || others.length > 0)
      return unknown('the answer does not say one thing of the billing');
    if (result.status === 'renewed') return { outcome: 'renewed', remainingSec: result.remaining_sec };
    return {
      outcome: ({ exhausted: 'exhausted', stopped: 'stopped', unknown: 'none' } as const)[result.status],
    };
  };
  return { outcome: 'results', of };
};
