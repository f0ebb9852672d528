import { z } from 'zod';
import { url, wholeNumber } from './settings.ts';

const text = z.string().default('');
const httpUrl = url(/^https?$/, 'must be an http:// or https:// URL');

/** Whether a URL of a proxy is an address alone: no user, path or query, which nobody would hear of. */
const isAddress = (text: string): boolean => {
  const { origin, protocol = '' } = URL.parse(text) ?? {};
  return !/^https?:$/.test(protocol) || text === origin || text === `${origin}/`;
};

/** How many calls that had no known outcome are tried again in a second, at most (D-27). */
export const retrySettings = { PARTNER_RETRIES_PER_SEC: wholeNumber(1, 10_000).default(50) };

/** The partner's base URL, and a proxy that leads there by CONNECT, with the user and the password of ours that it asks for. */
export const partnerSettings = {
  PARTNER_URL: httpUrl,
  PARTNER_PROXY_URL: httpUrl
    .refine(
      isAddress,
      'must be an address alone, such as http://proxy.example:3128: user and password stand in PARTNER_PROXY_USERNAME and PARTNER_PROXY_PASSWORD',
    )
    .optional(),
  PARTNER_PROXY_USERNAME: text.refine((name) => !name.includes(':'), 'must hold no colon (RFC 7617)'),
  PARTNER_PROXY_PASSWORD: text,
};

type Settings = Omit<typeof partnerSettings, 'PARTNER_URL'>;
type ProxyConfig = z.output<z.ZodObject<Settings>>;

const refuseMisfits = (config: unknown, ctx: z.RefinementCtx): void => {
  const given = config as Partial<ProxyConfig>;
  const wrong = new Set(ctx.issues.map(({ path }) => path?.[0]));
  const refuse = (name: keyof Settings, message: string) => {
    if (!wrong.has(name)) ctx.addIssue({ code: 'custom', path: [name], message });
  };
  const { PARTNER_PROXY_USERNAME: username, PARTNER_PROXY_PASSWORD: password } = given;
  if (username && !password)
    refuse('PARTNER_PROXY_PASSWORD', 'is not set, and PARTNER_PROXY_USERNAME needs it');
  if (password && !username)
    refuse('PARTNER_PROXY_USERNAME', 'is not set, and PARTNER_PROXY_PASSWORD needs it');
  if (username && given.PARTNER_PROXY_URL === undefined)
    refuse('PARTNER_PROXY_URL', 'is not set, and PARTNER_PROXY_USERNAME needs it');
};

/** Adds a check to a schema with `partnerSettings`: a user without a password, or without a proxy, is reported with all other problems. */
export const withPartner = <S extends z.ZodObject<Settings & z.ZodRawShape>>(schema: S): S =>
  schema.check(z.superRefine(refuseMisfits, { when: () => true }));

/** The proxy to the partner; undefined where it is called directly. */
export const partnerProxy = (config: ProxyConfig) => {
  const { PARTNER_PROXY_USERNAME: username, PARTNER_PROXY_PASSWORD: password } = config;
  if (config.PARTNER_PROXY_URL === undefined) return undefined;
  return { url: config.PARTNER_PROXY_URL, login: username === '' ? undefined : { username, password } };
};
