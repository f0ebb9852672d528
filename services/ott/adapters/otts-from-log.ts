import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { latestByKey } from '#libs/kafka/replay/latest-by-key.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Ports } from '../ports.ts';

/** The log is read back at least two minutes, which hold every token that can still be presented (D-24). */
const minWindowMs = 120_000;
const changes = [
  'ott.issued',
  'ott.accepted',
  'ott.given-back',
  'ott.consumed',
  'ott.voided',
  'ott.expired',
] as const;

/** Tokens of the recent log. */
export const ottsFromLog = (kafka: KafkaConnection, limits: Limits): Ports['recentLog'] => {
  const windowMs = Math.max(minWindowMs, 2 * limits.ottTtlSec * 1000);
  return {
    otts: async (signal) => {
      const found = await latestByKey({ kafka, names: changes, windowMs, ...(signal && { signal }) });
      return found.map(({ data }) => ({
        ott: data.ott,
        sealedToken: 'sealedToken' in data ? data.sealedToken : undefined,
      }));
    },
  };
};
