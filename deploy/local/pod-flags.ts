/**
 * How Node runs a service on this machine: as in a pod of 384 or 512 MiB, where it takes 256 MiB for old objects. On many GB it would let garbage
 * grow to four times what is in use, which is neither faster nor what a pod does. The young generation is the image's: with 4 MB a third
 * of the work under load is collecting garbage, with more than 16 MB memory grows faster than speed.
 */
export const podFlags = ['--max-semi-space-size=16', '--max-old-space-size=256'];
