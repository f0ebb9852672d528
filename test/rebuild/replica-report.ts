import { z } from 'zod';

/** What a replica is told. */
export const replicaArgs = z.object({
  brokers: z.array(z.string()),
  redisUrl: z.string(),
  instance: z.string(),
});

/** What a replica measured until the view was complete: its largest resident memory, the longest pause of its event loop, and what kafkajs warned of. */
export interface ReplicaReport {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssMb: number;
  readonly longestPauseMs: number;
  readonly warnings: readonly string[];
}
