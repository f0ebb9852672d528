/**
 * How Node runs a service on this machine: as in a pod of 384 or 512 MiB, where it takes 256 MiB for old objects. On many GB it would let garbage
 * grow to four times what is in use, which is neither faster nor what a pod does. The rest is the image's. The young generation: with 4 MB a
 * third of the work under load was collecting garbage; with 16 instead of 8 MB a process takes up to 30 MB more, for 2 % of a verify's CPU and none
 * of a heartbeat's (D-64). One thread beside the main one collects garbage and compiles, where Node takes four: a pod has a part of a core, and
 * every collection woke them all.
 */
export const podFlags = ['--max-semi-space-size=8', '--v8-pool-size=1', '--max-old-space-size=256'];

/**
 * As in the image: how the C library keeps what was freed. The threads that compile and collect share an arena apart from the main one's, which is
 * given back when they are done; and what is large goes back at once, where glibc would learn to keep it. Under load a service takes 6 to 20 MB less
 * than with one arena for all, at the same CPU; with more arenas each would keep what its threads have freed.
 */
export const podEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '262144',
};
