/** Values up to 2^7 µs have a bucket each; above, every power of two has 64, so that a value is told to within 1.6 %. */
const subBits = 6;
const exactBelow = 1 << (subBits + 1);
const bucketCount = 30 << subBits;

const bucketOf = (us: number): number => {
  if (us < exactBelow) return us;
  const shift = 31 - Math.clz32(us) - subBits;
  return (shift << subBits) + (us >>> shift);
};

/** The highest value of a bucket, in µs. */
const highestOf = (bucket: number): number => {
  if (bucket < exactBelow) return bucket;
  const shift = (bucket >> subBits) - 1;
  return ((bucket - (shift << subBits) + 1) << shift) - 1;
};

/** How often each latency occurred. */
export interface Histogram {
  record(ms: number): void;
  add(other: Histogram): void;
  /** The latency that this share (0 to 1) of all does not exceed, in ms; 0 without any. */
  quantile(share: number): number;
  readonly count: number;
  readonly maxMs: number;
  readonly buckets: Readonly<Uint32Array>;
}

/** An empty histogram: constant memory, whatever it is given. */
export const createHistogram = (): Histogram => {
  const buckets = new Uint32Array(bucketCount);
  let [count, maxMs] = [0, 0];
  return {
    buckets,
    get count() {
      return count;
    },
    get maxMs() {
      return maxMs;
    },
    record: (ms) => {
      const us = Math.max(0, Math.min(2 ** 31 - 1, Math.round(ms * 1000)));
      const bucket = Math.min(bucketCount - 1, bucketOf(us));
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      count += 1;
      if (ms > maxMs) maxMs = ms;
    },
    add: (other) => {
      other.buckets.forEach((each, bucket) => (buckets[bucket] = (buckets[bucket] ?? 0) + each));
      count += other.count;
      maxMs = Math.max(maxMs, other.maxMs);
    },
    quantile: (share) => {
      let left = Math.ceil(count * share);
      if (left === 0) return 0;
      const bucket = buckets.findIndex((each) => (left -= each) <= 0);
      return Math.min(maxMs, highestOf(bucket) / 1000);
    },
  };
};
