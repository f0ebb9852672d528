import { isIP } from 'node:net';
import { z } from 'zod';
import { withCatalog } from '#libs/runtime/catalog-settings.ts';
import { edgeSettings } from '#libs/runtime/edge-settings.ts';
import { withRedis } from '#libs/runtime/redis-settings.ts';
import { commaList, wholeNumber, withLimits } from '#libs/runtime/settings.ts';

const isCidr = (text: string): boolean => {
  const [net = '', bits, more] = text.split('/');
  const maxBits = isIP(net) === 6 ? 128 : 32;
  return (
    isIP(net) !== 0 &&
    more === undefined &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
};

/** The environment of launcher-gateway. */
export const schema = withCatalog(
  withRedis(
    withLimits(
      z.object({
        ...edgeSettings,
        /** How many trusted proxies in front of this service add to X-Forwarded-For; 0: launchers connect directly. */
        TRUSTED_HOPS: wholeNumber(0, 8).default(0),
        /** The addresses of those proxies. */
        TRUSTED_CIDRS: commaList
          .pipe(z.array(z.string().refine(isCidr, 'must be addresses in CIDR notation')))
          .default([]),
      }),
    ),
  ),
);
