import { above, below, number, stack, timeline } from './panels.ts';
import { happening, inRange, of, perSecond } from './queries.ts';
import type { Board } from './types.ts';

/** Who tries what he may not. */
export const security: Board = {
  uid: 'gsb-security',
  title: 'gsb: security',
  about:
    'Does anybody try what he may not? Nobody is named here: addresses and keys are in the logs of the edge. Good: a trickle of refusals, no replays.',
  rows: [
    {
      title: 'Refused',
      panels: [
        stack(
          'Refusals by code',
          { '{{code}}': happening('gsb_http_refusals_total', 'code') },
          {
            good: 'A trickle. 401 in numbers: a key was taken out too early, or somebody guesses.',
          },
        ),
        timeline(
          'Wrong API keys',
          { 'a second': perSecond('gsb_http_refusals_total', '', { code: 'INVALID_API_KEY' }) },
          {
            good: 'Near 0.',
          },
        ),
        timeline(
          'Wrong session tokens',
          { 'a second': perSecond('gsb_http_refusals_total', '', { code: 'INVALID_SESSION_TOKEN' }) },
          { good: 'Few: launchers whose session lapsed.' },
        ),
        timeline(
          'Rate limits',
          { 'a second': perSecond('gsb_http_refusals_total', '', { code: 'RATE_LIMITED' }) },
          {
            good: '0: nobody tries too often.',
          },
        ),
      ],
    },
    {
      title: 'Noted',
      panels: [
        stack(
          'Security events',
          { '{{event}}': happening('gsb_security_events_total', 'event') },
          { good: 'Sign-ins, and little else; each is in the log of its service, too (D-47).' },
        ),
        number('Objects of the catalogue that are refused', `max(${of('gsb_catalog_refused_objects')})`, {
          good: '0: every change of a game, key or operator counts (D-32).',
          unit: 'short',
          limits: above(1, 1),
        }),
        number(
          'Until somebody has no key left',
          `min((${of('gsb_catalog_keys_run_out_timestamp_seconds')} > 0) - time())`,
          {
            good: 'More than a week, or nothing: the last key of no game or operator ends soon.',
            unit: 'dtdurations',
            limits: below(604_800, 86_400),
          },
        ),
      ],
    },
    {
      title: 'Launchers',
      panels: [
        stack(
          'Signatures',
          { '{{reason}}': happening('gsb_signature_refusals_total', 'reason') },
          { good: 'None.' },
        ),
        number('Replayed nonces', inRange('gsb_signature_refusals_total', '', { reason: 'replayed' }), {
          good: '0.',
          unit: 'short',
          limits: above(1, 10),
        }),
        stack(
          'Addresses that were not accepted',
          { '{{decision}}': happening('gsb_client_addresses_total', 'decision', { decision: '!accepted' }) },
          {
            good: 'Few.',
          },
        ),
      ],
    },
    {
      title: 'Tokens',
      panels: [
        timeline(
          'Used twice',
          { 'a second': perSecond('gsb_ott_refusals_total', '', { reason: 'OTT_ALREADY_USED' }) },
          {
            good: 'Near 0: a token is spent once.',
          },
        ),
        timeline(
          'Of another game',
          { 'a second': perSecond('gsb_ott_refusals_total', '', { reason: 'GAME_MISMATCH' }) },
          {
            good: '0.',
            limits: above(1, 10),
          },
        ),
        timeline(
          'Our own mistakes',
          { 'a second': perSecond('gsb_http_refusals_total', '', { code: 'INTERNAL' }) },
          {
            good: '0: every 500 is a bug.',
            limits: above(0.1, 1),
          },
        ),
      ],
    },
  ],
};
