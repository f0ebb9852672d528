import { isIP } from 'node:net';
import { z } from 'zod';
import { commaList, wholeNumber } from './settings.ts';

const isCidr = (text: string): boolean => {
  const [net = '', bits, more] = text.split('/');
  const maxBits = isIP(net) === 6 ? 128 : 32;
  return (
    isIP(net) !== 0 &&
    more === undefined &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
};

/** The authorities that launchers may sign, `host` (with any port) or `host:port`, in lower case; any where it is not set (D-44). */
export const authoritySettings = {
  SIGNED_AUTHORITIES: commaList
    .pipe(z.array(z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/, 'must be host or host:port')))
    .optional(),
};

/** How many trusted proxies in front of a service add to X-Forwarded-For (0: callers connect directly), and the addresses of those proxies. */
export const proxySettings = {
  TRUSTED_HOPS: wholeNumber(0, 8).default(0),
  TRUSTED_CIDRS: commaList
    .pipe(z.array(z.string().refine(isCidr, 'must be addresses in CIDR notation')))
    .default([]),
};
