/**
 * How Node runs a service on this machine: as in a pod of 384 or 512 MiB, where it takes 256 MiB for old objects. On many GB it would let garbage
 * grow to four times what is in use, which is neither faster nor what a pod does. The rest is the image's. The young generation: with 4 MB a
 * third of the work under load was collecting garbage; with 16 instead of 8 MB a process takes up to 30 MB more, for 2 % of a verify's CPU and none
 * of a heartbeat's (D-64). One thread beside the main one collects garbage and compiles, where Node takes four: a pod has a part of a core, and
 * every collection woke them all.
 */
export const podFlags = ['--max-semi-space-size=8', '--v8-pool-size=1', '--max-old-space-size=256'];

/**
 * As in the image: how the C library keeps what was freed. What the thread that compiles takes comes in blocks of 32 KiB and goes at once, between
 * objects that stay: where both share a heap, more than half of it was free and resident. So there are three arenas: threads take turns at what is
 * beside the main one's, and the first that Node starts is another one. And blocks of 32 KiB are mapped apart, and go back when they are freed; with a
 * threshold of 128 KiB, which glibc would raise, game-session took 20 MB more in a mixture of calls and 25 more in a storm, for as much CPU; with 16
 * KiB as much as with 32.
 */
export const podEnvironment = {
  MALLOC_ARENA_MAX: '3',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '262144',
};
