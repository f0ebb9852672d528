import { SpanKind } from '@opentelemetry/api';
import { AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';
import { keptBecause } from './late-spans.ts';

/**
 * Keeps a share of the traces. Our edge decides, by the trace id alone: a caller who marks all of his requests as sampled gets no more
 * of them kept. Whatever follows inside, over the log and at the partner, goes with the request that it came from. A request that failed or was slow is kept when it is over.
 */
export const edgeSampler = (ratio: number): Sampler => {
  const byRatio = new TraceIdRatioBasedSampler(ratio);
  const always = new AlwaysOnSampler();
  const byParent = new ParentBasedSampler({ root: byRatio });
  return {
    shouldSample: (...span) => {
      const [, , , kind, attributes] = span;
      const atEdge = attributes[keptBecause] === undefined ? byRatio : always;
      const sampler: Sampler = kind === SpanKind.SERVER ? atEdge : byParent;
      return sampler.shouldSample(...span);
    },
    toString: () => `edge, by ${ratio}`,
  };
};
