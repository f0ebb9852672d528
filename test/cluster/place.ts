import { z } from 'zod';
import { readConfig } from '#libs/runtime/config.ts';

const address = z.string().regex(/^[\d.]+$/, 'must be an IPv4 address');
const list = z.string().transform((text) => text.split(','));

const schema = z.object({
  /** The program that brings a cluster up on this machine; without it KUBECONFIG names one. */
  GSB_CLUSTER: z.string().optional(),
  /** An address of this machine that pods reach. */
  GSB_NODE_ADDRESS: address,
  /** Where the ingress controller answers, and keeps the address of who calls. */
  GSB_EDGE_ADDRESS: address.optional(),
  /** Three addresses of this machine, public ones, for the cafes. */
  GSB_CAFE_ADDRESSES: list
    .pipe(z.array(address).length(3))
    .default(['203.0.113.10', '203.0.113.20', '203.0.113.30']),
  /** An image that the cluster has already, name:tag; otherwise one is built. */
  GSB_IMAGE: z.string().optional(),
});

/** Where the test stands: the cluster, this machine's addresses, the image. */
export type Place = z.output<typeof schema>;

/** Reads the place from the environment. Throws ConfigError with all that is missing. */
export const readPlace = (env: NodeJS.ProcessEnv): Place => readConfig(schema, env);
