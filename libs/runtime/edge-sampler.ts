import { SpanKind } from '@opentelemetry/api';
import { ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';

/**
 * Keeps a share of the traces. Our edge decides, by the trace id alone: a caller who marks all of his requests as sampled gets no more
 * of them kept. Whatever follows inside, over the log and at the partner, goes with the request that it came from.
 */
export const edgeSampler = (ratio: number): Sampler => {
  const byRatio = new TraceIdRatioBasedSampler(ratio);
  const byParent = new ParentBasedSampler({ root: byRatio });
  return {
    shouldSample: (...span) => {
      const [, , , kind] = span;
      const sampler: Sampler = kind === SpanKind.SERVER ? byRatio : byParent;
      return sampler.shouldSample(...span);
    },
    toString: () => `edge, by ${ratio}`,
  };
};
