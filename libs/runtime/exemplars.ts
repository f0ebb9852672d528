import type { Histogram } from 'prom-client';
import { keptSpan } from './tracing.ts';

/**
 * Lets a histogram be observed like any other, and its bucket name the running trace, if that is kept, so that a slow point on a board leads
 * to what was slow. prom-client wants another call of one with exemplars, and throws at that of the others.
 */
export const nameTraces = <L extends string>(histogram: Histogram<L>): void => {
  const observe = histogram.observe.bind(histogram) as (one: object) => void;
  const observeInTrace = (labels: Partial<Record<L, string | number>>, value: number): void => {
    const kept = keptSpan();
    observe({ labels, value, ...(kept && { exemplarLabels: { trace_id: kept.traceId } }) });
  };
  histogram.observe = observeInTrace as typeof histogram.observe;
};
