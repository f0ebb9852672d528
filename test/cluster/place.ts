import { z } from 'zod';
import { readConfig } from '#libs/runtime/config.ts';

const address = z.string().regex(/^[\d.]+$/, 'must be an IPv4 address');
const list = z.string().transform((text) => text.split(','));
const image = z
  .string()
  .regex(/^[^:]+:[^:]+$/, 'must be name:tag')
  .transform((text) => {
    const [repository = '', tag = ''] = text.split(':');
    return { repository, tag };
  });

const schema = z.object({
  /** An address of this machine that pods reach. */
  GSB_NODE_ADDRESS: address,
  /** Where the ingress controller answers, and keeps the address of who calls. */
  GSB_EDGE_ADDRESS: address,
  /** Three addresses of this machine, public ones, for the cafes. */
  GSB_CAFE_ADDRESSES: list
    .pipe(z.array(address).length(3))
    .default(['203.0.113.10', '203.0.113.20', '203.0.113.30']),
  /** A Gateway to attach routes to, namespace/name; without it the Gateway API is not tried. */
  GSB_GATEWAY: z
    .string()
    .regex(/^[^/]+\/[^/]+$/, 'must be namespace/name')
    .optional(),
  /** The chart of the release before and its image's tag, folder=tag; without it nothing is played with that. */
  GSB_PREVIOUS: z
    .string()
    .regex(/^[^=]+=[^=]+$/, 'must be folder=tag')
    .transform((text) => {
      const [chart = '', tag = ''] = text.split('=');
      return { chart, tag };
    })
    .optional(),
  /** An image that the cluster has, and the same under another tag. */
  GSB_IMAGE: image,
  GSB_NEXT_IMAGE: image,
});

/** Where the test stands: this machine's addresses, the ingress controller, the images. */
export type Place = z.output<typeof schema>;

/** Reads the place from the environment. Throws ConfigError with all that is missing. */
export const readPlace = (env: NodeJS.ProcessEnv): Place => readConfig(schema, env);
