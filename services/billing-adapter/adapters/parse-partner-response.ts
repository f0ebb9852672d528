import type { z } from 'zod';
import {
  cafeResponse,
  renewResponse,
  startResponse,
  startRefusal,
  stopResponse,
} from '#libs/contracts/partner.ts';
import type { Partner, Unknown } from '../ports.ts';

/** A response of the partner: its status, and the JSON value of its body, or undefined where the body is not JSON. */
export interface PartnerResponse {
  readonly status: number;
  readonly json: unknown;
}

type Outcome<K extends keyof Partner> = Awaited<ReturnType<Partner[K]>>;

/** No response, or one that does not match the contract: the call may or may not have happened. */
export const unknown = (reason: string, isOutage = true): Unknown => ({
  outcome: 'unknown',
  reason,
  isOutage,
});

/** A 4xx that is not about the one call: our credentials are refused, or the partner is too busy. */
const aboutUsAll: readonly number[] = [401, 403, 408, 429];
const isAboutTheCall = (status: number): boolean =>
  status >= 400 && status < 500 && !aboutUsAll.includes(status);

const unexpected = ({ status }: PartnerResponse): Unknown =>
  unknown(`status ${status}, or a body of another shape`, !isAboutTheCall(status));

const parsed = <S extends z.ZodType, T>(
  schema: S,
  response: PartnerResponse,
  read: (answer: z.output<S>) => T,
): T | Unknown => {
  const { success, data } = schema.safeParse(response.json);
  return success ? read(data) : unexpected(response);
};

/** GET /v1/cafes. */
export const parseCafe = (response: PartnerResponse): Outcome<'cafeOf'> => {
  if (response.status === 404) return { outcome: 'none' };
  if (response.status !== 200) return unexpected(response);
  return parsed(cafeResponse, response, ({ cafe_id: cafeId }) => ({ outcome: 'known', cafeId }));
};

/** POST /v1/billings. */
export const parseStart = (response: PartnerResponse): Outcome<'start'> => {
  if (response.status === 402) return parsed(startRefusal, response, () => ({ outcome: 'refused' }));
  if (response.status !== 201 && response.status !== 200) return unexpected(response);
  return parsed(startResponse, response, ({ remaining_sec: remainingSec }) => ({
    outcome: 'started',
    remainingSec,
  }));
};

/** POST /v1/billings/{billing_id}/stop. */
export const parseStop = (response: PartnerResponse): Outcome<'stop'> => {
  if (response.status === 404) return { outcome: 'none' };
  if (response.status !== 200) return unexpected(response);
  return parsed(stopResponse, response, ({ play_duration_sec: playDurationSec }) => ({
    outcome: 'stopped',
    playDurationSec,
  }));
};

interface RenewResults {
  readonly outcome: 'results';
  of(billingId: string): Outcome<'renew'>;
}

/** POST /v1/billings/renewals: the outcome of each billing. */
export const parseRenewals = (response: PartnerResponse): RenewResults | Unknown => {
  const { success, data } = renewResponse.safeParse(response.json);
  if (response.status !== 200 || !success) return unexpected(response);
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
