import { z } from 'zod';
import { readConfig } from '#libs/runtime/config.ts';
import { partnerProxy, partnerSettings, withPartner } from '#libs/runtime/partner-settings.ts';
import { configProblems } from '../../../support/config-problems.ts';

const schema = withPartner(z.object(partnerSettings));
const PARTNER_URL = 'https://api.partner.example';
const proxyOf = (env: Record<string, string>) => partnerProxy(readConfig(schema, { PARTNER_URL, ...env }));

test('the partner is called directly where no proxy is named', () => {
  expect(proxyOf({})).toBeUndefined();
});

test.each([
  [{ PARTNER_PROXY_URL: 'http://proxy.example:3128' }, undefined],
  [
    {
      PARTNER_PROXY_URL: 'https://[2001:db8::1]/',
      PARTNER_PROXY_USERNAME: 'gsb',
      PARTNER_PROXY_PASSWORD: 'a:b@c',
    },
    { username: 'gsb', password: 'a:b@c' },
  ],
])('a proxy is an address, with a login or without: %j', (env, login) => {
  expect(proxyOf(env)).toEqual({ url: env.PARTNER_PROXY_URL, login });
});

const address =
  /^PARTNER_PROXY_URL: must be an address alone, .*PARTNER_PROXY_USERNAME and PARTNER_PROXY_PASSWORD$/;
test.each([
  ['a password in its URL', { PARTNER_PROXY_URL: 'http://gsb:secret@proxy.example:3128' }, address],
  ['a path in its URL', { PARTNER_PROXY_URL: 'http://proxy.example:3128/partner' }, address],
  [
    'another protocol',
    { PARTNER_PROXY_URL: 'socks5://proxy.example:1080' },
    /^PARTNER_PROXY_URL: must be an http/,
  ],
  [
    'a user without a password',
    { PARTNER_PROXY_URL: 'http://proxy.example', PARTNER_PROXY_USERNAME: 'gsb' },
    /^PARTNER_PROXY_PASSWORD: is not set/,
  ],
  [
    'a password without a user',
    { PARTNER_PROXY_URL: 'http://proxy.example', PARTNER_PROXY_PASSWORD: 'secret' },
    /^PARTNER_PROXY_USERNAME: is not set, and PARTNER_PROXY_PASSWORD needs it$/,
  ],
  [
    'a user whose name would be read as another one',
    { PARTNER_PROXY_URL: 'http://proxy.example', PARTNER_PROXY_USERNAME: 'a:b', PARTNER_PROXY_PASSWORD: 'c' },
    /^PARTNER_PROXY_USERNAME: must hold no colon/,
  ],
  [
    'a login without a proxy',
    { PARTNER_PROXY_USERNAME: 'gsb', PARTNER_PROXY_PASSWORD: 'secret' },
    /^PARTNER_PROXY_URL: is not set/,
  ],
])('a proxy with %s is refused, and no value is printed', (_, env, problem) => {
  const problems = configProblems(schema, { PARTNER_URL, ...env });

  expect(problems).toEqual([expect.stringMatching(problem)]);
  expect(problems.join()).not.toContain('secret');
});
