import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { numberIn } from '#libs/kafka/fetched-message.ts';
import { readBehind, withRecentLog } from '#libs/kafka/replay/recent-log.ts';
import type { LoggedEvent } from '#libs/kafka/replay/recent-log.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

/** The log is read back at least two minutes, which hold every token that can still be presented (D-24). */
const minWindowMs = 120_000;
/** What says how a token is. */
export const tokenChanges = [
  'ott.issued',
  'ott.accepted',
  'ott.given-back',
  'ott.consumed',
  'ott.voided',
  'ott.expired',
] as const;
/** What is spent or over is not presented again. */
const finals = ['ott.consumed', 'ott.voided', 'ott.expired'] as const;

const logged = ({ data }: LoggedEvent<(typeof tokenChanges)[number]>): Ott => data.ott;

/** Tokens of the recent log. */
export const ottsFromLog = (kafka: KafkaConnection, limits: Limits): Ports['recentLog'] => {
  const windowMs = Math.max(minWindowMs, 2 * limits.ottTtlSec * 1000);
  return {
    open: (signal, use) =>
      withRecentLog({ kafka, names: tokenChanges, finals, windowMs, signal }, ({ parts, ends, latest }) =>
        use({
          groups: Map.groupBy(parts, numberIn),
          ends,
          otts: (of, onOtts) => latest(of, (found) => onOtts(found.map(logged))),
        }),
      ),
    behind: (ends, signal, onOtts) =>
      readBehind({ kafka, names: tokenChanges, finals, signal }, ends, (found) => onOtts(found.map(logged))),
  };
};
