import { serviceNames } from '#libs/contracts/topics.ts';
import { answered } from './answered.ts';
import { above, below, number, timeline } from './panels.ts';
import { operations } from '../operations.ts';
import type { Operation } from '../operations.ts';
import { happening, inRange, of, orZero, perSecond, quantile, share, sinceThen } from './queries.ts';
import { stopsInTime } from './partner.ts';
import { notInLedger } from './settlement.ts';
import type { Board } from './types.ts';

const http = 'http_server_request_duration_seconds_count';
const p99 = ({ route: http_route }: Operation) =>
  quantile(0.99, 'http_server_request_duration_seconds_bucket', '', { http_route });

const ours = of('process_start_time_seconds', { service_name: `~${serviceNames.join('|')}` });
/** Where several environments are chosen, those of the one that has fewest; what else reports there is none of ours. */
const running = orZero(
  `min(count by (deployment_environment_name) (count by (deployment_environment_name, service_name) (${ours})))`,
);

/** Read in ten seconds: green from left to right means that players start, play and stop, and that the seconds are right. */
export const overview: Board = {
  uid: 'gsb-overview',
  title: 'gsb: overview',
  about:
    'Can players **start**, **play** and **stop**, and is the **money** right? All green: go back to bed. Red in a row: open the board of that name. Grey: there was none of it lately; all grey: nothing is measured.',
  rows: [
    {
      title: 'Start',
      panels: [
        number('Services that run', running, {
          good: '5: one that is missing is named by GsbServiceAbsent.',
          unit: 'short',
          limits: below(5, 5),
        }),
        number('Session starts answered', answered(operations.sessionStart), {
          good: 'Above 99.9 %: no answer of ours was a 5xx.',
          limits: below(0.999, 0.99),
        }),
        number('Tokens answered', answered(operations.ott), {
          good: 'Above 99.95 %.',
          limits: below(0.9995, 0.995),
        }),
        number('Verifies answered', answered(operations.verify), {
          good: 'Above 99.95 %; a token that is refused is answered too.',
          limits: below(0.9995, 0.995),
        }),
        number(
          'Verifies accepted',
          share(perSecond('gsb_verifies_total', '', { result: 'accepted' }), perSecond('gsb_verifies_total')),
          {
            good: 'Above 90 %; what is missing are tokens used late, twice or without balance.',
            limits: below(0.9, 0.7),
          },
        ),
        number('Verify p99', p99(operations.verify), {
          good: 'Below half a second.',
          unit: 's',
          limits: above(0.5, 2),
        }),
      ],
    },
    {
      title: 'Play and stop',
      panels: [
        number('Game sessions', `max(${of('gsb_live_records', { service_name: 'game-session' })})`, {
          good: 'Follows the time of day; a cliff is an outage of somebody.',
          unit: 'short',
        }),
        number('Heartbeats answered', answered(operations.heartbeat), {
          good: 'Above 99.99 %.',
          limits: below(0.9999, 0.999),
        }),
        number('Ends answered', answered(operations.end), {
          good: 'Above 99.9 %.',
          limits: below(0.999, 0.99),
        }),
        number('Expiries held back', `max(${of('gsb_sweeper_paused')})`, {
          good: '0. 1: too many are late at once, and none expires; 2: they do, slowly.',
          unit: 'short',
          limits: above(1, 1),
        }),
        number(
          'Sweeper silent for',
          `max(${sinceThen('gsb_sweeper_last_run_timestamp_seconds', 'service_name')})`,
          {
            good: 'Below two seconds: silent sessions expire in time.',
            unit: 's',
            limits: above(30, 60),
          },
        ),
      ],
    },
    {
      title: 'Money',
      panels: [
        number('Partner circuits open', `count(${of('gsb_partner_circuit_state')} == 2) or vector(0)`, {
          good: '0: the partner answers.',
          unit: 'short',
          limits: above(1, 1),
        }),
        stopsInTime,
        number(
          'Stops that the partner owes',
          `max(sum by (instance) (${of('gsb_game_sessions', { state: 'ending' })}))`,
          {
            good: 'A handful: play has ended there, and billing runs until the partner confirms.',
            unit: 'short',
            limits: above(20, 200),
          },
        ),
        number('Seconds billed too much', inRange('gsb_overbilled_seconds_total'), {
          good: '0, always (I4).',
          unit: 's',
          limits: above(1, 1),
        }),
        number('Seconds not billed', inRange('gsb_unbilled_seconds_total'), {
          good: 'Near 0; grows while the partner refuses what has been played already.',
          unit: 's',
          limits: above(60, 3_600),
        }),
        notInLedger,
      ],
    },
    {
      title: 'The last hours',
      panels: [
        timeline(
          'Calls by answer',
          {
            '{{http_response_status_code}}': perSecond(http, 'http_response_status_code'),
          },
          { good: '200 follows the time of day; few 4xx, which are mistakes of callers; no 5xx.' },
        ),
        timeline(
          'Sessions begin and end',
          {
            begin: perSecond('gsb_sessions_started_total'),
            'end: {{reason}}': happening('gsb_sessions_ended_total', 'reason'),
          },
          { good: 'As many ends as starts; most are game_ended.' },
        ),
        timeline(
          'Seconds played and billed, by second',
          { played: perSecond('gsb_played_seconds_total'), billed: perSecond('gsb_billed_seconds_total') },
          {
            good: 'One line on top of the other; billed falls behind while the partner is away, and comes after.',
            unit: 'short',
          },
        ),
      ],
    },
  ],
};
