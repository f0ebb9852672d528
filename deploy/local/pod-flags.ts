/**
 * How Node runs a service on this machine: as in a pod of 384 or 512 MiB, where it takes 256 MiB for old objects. On many GB it would let garbage
 * grow to four times what is in use, which is neither faster nor what a pod does. The rest is the image's. The young generation: with 4 MB a
 * third of the work under load was collecting garbage; with 16 instead of 8 MB a process takes up to 30 MB more, for 2 % of a verify's CPU and none
 * of a heartbeat's (D-64). One thread beside the main one collects garbage and compiles, where Node takes four: a pod has a part of a core, and
 * every collection woke them all.
 */
export const podFlags = ['--max-semi-space-size=8', '--v8-pool-size=1', '--max-old-space-size=256'];

/** As in the image: the threads share one heap of the C library, where each would keep what it has freed. */
export const podEnvironment = { MALLOC_ARENA_MAX: '1' };
