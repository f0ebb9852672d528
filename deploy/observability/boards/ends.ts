import { operations } from '../operations.ts';
import { answered } from './answered.ts';
import { above, below, number, stack, timeline } from './panels.ts';
import { happening, inRange, of, perSecond, sinceThen } from './queries.ts';
import type { Board } from './types.ts';

/** How play ends, and who ends it. */
export const ends: Board = {
  uid: 'gsb-ends',
  title: 'gsb: ends and sweeper',
  about:
    'How does play end? By an `end` of the game, by silence, by a successor on the same PC, by an empty balance or with the launcher. Good: most are `game_ended`, the sweeper ran seconds ago, and nothing is held back.',
  rows: [
    {
      title: 'Ends',
      panels: [
        stack(
          'Sessions that ended',
          { '{{reason}}': happening('gsb_sessions_ended_total', 'reason') },
          {
            good: 'game_ended. silence in numbers: game servers or their network failed.',
          },
        ),
        stack(
          'End calls by answer',
          { '{{result}}': happening('gsb_ends_total', 'result') },
          {
            good: 'SUCCESS; ALREADY_ENDED is a repetition or a race and harmless.',
          },
        ),
        number('End calls answered', answered(operations.end), {
          good: 'Above 99.9 %: no answer of ours was a 5xx.',
          limits: below(0.999, 0.99),
        }),
        timeline(
          'Stops that the partner confirmed',
          { 'within {{within}}': happening('gsb_stops_confirmed_total', 'within') },
          { good: 'Nearly all within 10s; later: the cafe was charged on for more than five minutes.' },
        ),
        timeline(
          'Ends that were published again',
          { '{{waited}}': happening('gsb_stop_reminders_total', 'waited') },
          {
            good: 'No line. under_5m: the partner is slow or away; over_5m is billing of somebody who left long ago.',
          },
        ),
      ],
    },
    {
      title: 'Sweeper',
      panels: [
        timeline(
          'Silent for',
          {
            '{{service_name}}': sinceThen('gsb_sweeper_last_run_timestamp_seconds', 'service_name'),
          },
          {
            good: 'Below two seconds in all three services: each sweeps every second.',
            unit: 's',
            limits: above(30, 60),
          },
        ),
        timeline(
          'Overdue',
          { '{{service_name}}': `max by (service_name) (${of('gsb_sweeper_overdue_records')})` },
          {
            good: 'Near 0; what is due is taken up within seconds.',
            unit: 'short',
          },
        ),
        timeline(
          'Held back',
          { '{{service_name}}': `max by (service_name) (${of('gsb_sweeper_paused')})` },
          {
            good: '0. 1: too many are late at once, and none expires; 2: they do, slowly (D-25).',
            unit: 'short',
            limits: above(1, 1),
          },
        ),
        timeline(
          'Records taken up',
          { '{{service_name}}': perSecond('gsb_sweeper_handled_records_total', 'service_name') },
          {
            good: 'A trickle: silent sessions, unused tokens, what is remembered no longer. Climbs while the partner confirms no stop, which is asked for again.',
          },
        ),
        number('Records put off', inRange('gsb_sweeper_postponed_records_total'), {
          good: '0: every due record could be handled.',
          unit: 'short',
          limits: above(1, 10),
        }),
        number('Expiries spared by an amnesty', inRange('gsb_sessions_spared_total'), {
          good: '0, but for an hour after an outage of ours (D-11).',
          unit: 'short',
        }),
      ],
    },
    {
      title: 'The hot view',
      panels: [
        number('Rebuilds', inRange('gsb_view_rebuilds_total'), {
          good: '0: Redis is the one that the view was written on.',
          unit: 'short',
          limits: above(1, 10),
        }),
        timeline(
          'Duration of the last one',
          { '{{service_name}}': `max by (service_name) (${of('gsb_view_rebuild_duration_seconds')})` },
          {
            good: 'Below ten seconds; while it lasts every call is 503.',
            unit: 's',
            limits: above(10, 60),
          },
        ),
        timeline(
          'Live records that it found',
          { '{{service_name}}': `max by (service_name) (${of('gsb_view_rebuild_records')})` },
          {
            good: 'As many as were live before.',
            unit: 'short',
          },
        ),
      ],
    },
  ],
};
