import { extreme, look, series } from './expressions.ts';
import type { Alert } from './types.ts';

const metrics = look('settlement', 'gsb_last_closing');
const onlyPartner = { cause: '!~client_.*' } as const;
const compare =
  '`curl -s -H "Authorization: Bearer $OPERATOR_KEY" $SETTLEMENT_URL/v1/reconciliations/$(TZ=Asia/Seoul date -d yesterday +%F) | head -c 2000`';

/** What the nightly closing did, or did not do. */
export const closings: readonly Alert[] = [
  {
    name: 'GsbDayNotClosed',
    severity: 'ticket',
    owner: 'billing',
    expr: `${extreme('max', 'gsb_unclosed_day_age_seconds')} > 43200`,
    for: '5m',
    summary: 'A day with play has been over for half a day and is not closed.',
    board: 'gsb-settlement',
    runbook: {
      meaning:
        'The job that closes yesterday did not run, or it failed: often the partner has no statement yet. A day that was passed over counts until it is closed, also when later ones are.',
      impact: 'The day’s statements stay open: late entries still change them. Nothing is lost.',
      diagnosis: [
        look('settlement', 'gsb_unclosed_day'),
        'The log of the last close-day job says why.',
        '`npm run close-day -- --help`',
      ],
      mitigation: [
        'Run it again for that day: it closes nothing twice, and gives the same bytes.',
        'When the partner’s statement cannot be had at all, close with `--without-partner`; the closing says so (D-29). In a cluster a Job does that, with the role of Postgres that closes days, which no pod of settlement has.',
      ],
    },
    proof: {
      firing: series('gsb_unclosed_day_age_seconds', { service_name: 'settlement' }, '50000+60x66'),
      resting: series('gsb_unclosed_day_age_seconds', { service_name: 'settlement' }, '3600+60x66'),
      afterMin: 20,
    },
  },
  {
    name: 'GsbClosingDiffers',
    severity: 'ticket',
    owner: 'billing',
    expr: `${extreme('max', 'gsb_last_closing_differences', onlyPartner, 'cause')} > 0`,
    for: '5m',
    summary: 'The last closing found sessions where the partner differs: {{ $labels.cause }}.',
    board: 'gsb-settlement',
    runbook: {
      meaning: 'The partner’s answers or its own statement do not say what our ledger says.',
      impact: 'A cafe is billed other seconds than were played, until somebody sets it right.',
      diagnosis: [
        metrics,
        compare,
        'It names each session with its likely cause and the remedy; the closing’s CSV has the cause.',
      ],
      mitigation: [
        'Do what it says under `remedy`. Our seconds are proven by the log.',
        '`npm run replay -- --day yesterday`',
      ],
    },
    proof: {
      firing: series('gsb_last_closing_differences', { cause: 'partner_counted_more' }, '0x5 3x60'),
      resting: {
        ...series('gsb_last_closing_differences', { cause: 'partner_counted_more' }, '0x66'),
        ...series('gsb_last_closing_differences', { cause: 'client_measured_more' }, '9x66'),
      },
      afterMin: 20,
    },
  },
  {
    name: 'GsbClosedWithoutPartner',
    severity: 'ticket',
    owner: 'billing',
    expr: `${extreme('max', 'gsb_last_closing_without_partner')} > 0`,
    for: '5m',
    summary: 'The last day was closed without the statement of the partner.',
    board: 'gsb-settlement',
    runbook: {
      meaning: 'Somebody closed the day with `--without-partner` (D-29).',
      impact: 'Differences of the partner’s statement are not known for that day.',
      diagnosis: [metrics],
      mitigation: ['Ask the partner for the statement and compare by hand; the next closing compares again.'],
    },
    proof: {
      firing: series('gsb_last_closing_without_partner', { service_name: 'settlement' }, '0x5 1x60'),
      resting: series('gsb_last_closing_without_partner', { service_name: 'settlement' }, '0x66'),
      afterMin: 20,
    },
  },
];
