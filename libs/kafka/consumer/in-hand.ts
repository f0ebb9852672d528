import { PassingSet } from '#libs/kernel/passing-map.ts';
import type { ConsumerGroupOptions } from './group-membership.ts';

/** What a consumer has fetched and has not done: for how long the oldest of it has been in hand. */
export interface InHand {
  /** Takes something in hand; returns what is to be called when it is in hand no more. */
  take(): () => void;
}

/** What a group has in hand; measured whenever somebody looks. */
export const createInHand = ({ group, metrics }: Pick<ConsumerGroupOptions, 'group' | 'metrics'>): InHand => {
  const age = metrics.gauge('gsb_kafka_in_hand_age_seconds');
  /** In the order in which they were taken. */
  const taken = new PassingSet<{ readonly atMs: number }>();
  metrics.beforeText(() => {
    const [oldest] = taken.values();
    age.set({ group }, oldest ? (performance.now() - oldest.atMs) / 1000 : 0);
  });
  return {
    take: () => {
      const one = { atMs: performance.now() };
      taken.add(one);
      return () => void taken.delete(one);
    },
  };
};
