import { above, timeline } from './panels.ts';
import { happening, of, perSecond, slowest } from './queries.ts';
import type { Board } from './types.ts';

/** What the processes need. */
export const resources: Board = {
  uid: 'gsb-resources',
  title: 'gsb: service resources',
  about:
    'Do the processes have what they need? Good: the event loop is never late, memory is flat, and nothing restarts.',
  rows: [
    {
      title: 'HTTP',
      panels: [
        timeline(
          'Requests',
          {
            '{{service_name}} {{http_response_status_code}}': perSecond(
              'http_server_request_duration_seconds_count',
              'service_name, http_response_status_code',
            ),
          },
          { good: 'No 5xx.' },
        ),
        timeline(
          'p99 by route, the eight slowest',
          { '{{http_route}}': slowest(8, 'http_server_request_duration_seconds_bucket', 'http_route') },
          { good: 'Below half a second.', unit: 's', limits: above(0.5, 2) },
        ),
        timeline(
          'Refused for want of time',
          { '{{http_route}}': happening('gsb_http_shed_requests_total', 'http_route') },
          { good: 'No line. Starts come first and heartbeats last when a process cannot keep up (D-46).' },
        ),
      ],
    },
    {
      title: 'Node',
      panels: [
        timeline(
          'Event loop p99',
          { '{{service_name}}': `max by (service_name) (${of('nodejs_eventloop_lag_p99_seconds')})` },
          {
            good: 'Below 50 ms.',
            unit: 's',
            limits: above(0.1, 0.4),
          },
        ),
        timeline(
          'CPU',
          { '{{service_name}}': perSecond('process_cpu_seconds_total', 'service_name') },
          {
            good: 'Below one core for each replica.',
            unit: 'short',
          },
        ),
        timeline(
          'Memory, the largest replica',
          { '{{service_name}}': `max by (service_name) (${of('process_resident_memory_bytes')})` },
          {
            good: 'Flat.',
            unit: 'bytes',
          },
        ),
        timeline(
          'Heap, the largest replica',
          { '{{service_name}}': `max by (service_name) (${of('nodejs_heap_size_used_bytes')})` },
          {
            good: 'A saw that does not climb.',
            unit: 'bytes',
          },
        ),
        timeline(
          'Garbage collection',
          { '{{service_name}}': perSecond('nodejs_gc_duration_seconds_sum', 'service_name') },
          {
            good: 'Below 5 % of the time.',
            unit: 'percentunit',
            limits: above(0.05, 0.2),
          },
        ),
        timeline(
          'Up for, the youngest replica',
          { '{{service_name}}': `time() - max by (service_name) (${of('process_start_time_seconds')})` },
          {
            good: 'Climbs; a drop is a restart.',
            unit: 'dtdurations',
          },
        ),
      ],
    },
    {
      title: 'Stores',
      panels: [
        timeline(
          'p99 of a Redis command, the five slowest',
          {
            '{{service_name}} {{script}}': slowest(
              5,
              'gsb_redis_script_duration_seconds_bucket',
              'service_name, script',
            ),
          },
          { good: 'Below 10 ms.', unit: 's', limits: above(0.05, 0.5) },
        ),
        timeline(
          'Redis commands that failed',
          { '{{service_name}}': happening('gsb_redis_failed_commands_total', 'service_name') },
          { good: 'No line.' },
        ),
        timeline(
          'Redis connected',
          { '{{service_name}}': `min by (service_name) (${of('gsb_redis_connected')})` },
          {
            good: '1 in all three; 0: every call there is 503.',
            unit: 'short',
          },
        ),
      ],
    },
  ],
};
