import { above, number, stack, timeline } from './panels.ts';
import { inRange, of, perSecond } from './queries.ts';
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
          { '{{reason}}': perSecond('gsb_sessions_ended_total', 'reason') },
          {
            good: 'game_ended. silence in numbers: game servers or their network failed.',
          },
        ),
        stack(
          'End calls by answer',
          { '{{result}}': perSecond('gsb_ends_total', 'result') },
          {
            good: 'SUCCESS; ALREADY_ENDED is a repetition or a race and harmless.',
          },
        ),
        timeline(
          'Stops that the partner confirmed',
          { 'within {{within}}': perSecond('gsb_stops_confirmed_total', 'within') },
          { good: '10s.' },
        ),
        timeline(
          'Ends that were published again',
          { '{{waited}}': perSecond('gsb_stop_reminders_total', 'waited') },
          { good: '0; over_5m is billing of somebody who left long ago.' },
        ),
      ],
    },
    {
      title: 'Sweeper',
      panels: [
        timeline(
          'Silent for',
          {
            '{{service_name}}': `time() - min by (service_name) (${of('gsb_sweeper_last_run_timestamp_seconds')})`,
          },
          {
            good: 'In all three services a few seconds more than the pause between two scrapes.',
            unit: 's',
            limits: above(30, 60),
          },
        ),
        timeline(
          'Overdue',
          { '{{service_name}}': `max by (service_name) (${of('gsb_sweeper_overdue_records')})` },
          {
            good: 'Near 0.',
            unit: 'short',
          },
        ),
        timeline(
          'Held back',
          { '{{service_name}}': `max by (service_name) (${of('gsb_sweeper_paused')})` },
          {
            good: '0.',
            unit: 'short',
            limits: above(1, 2),
          },
        ),
        timeline(
          'Records taken up',
          { '{{service_name}}': perSecond('gsb_sweeper_handled_records_total', 'service_name') },
          { good: 'Follows the ends.' },
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
            good: 'Seconds.',
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
