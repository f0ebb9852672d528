import type { Matchers } from './metric.ts';

/** What callers ask for: one at a time and, where a route is there for it, many in a batch. */
export interface Operation {
  readonly route: string;
  readonly batchRoute?: string;
  /** The statuses of answers that are our failure, as a matcher. */
  readonly failed: string;
}

const ours = { failed: '~5..' } as const;

/** What is promised to callers. A 4xx that the caller causes is no failure; 429 of a heartbeat is. */
export const operations = {
  sessionStart: { route: '/v1/session/start', ...ours },
  ott: { route: '/v1/ott', ...ours },
  verify: { route: '/v1/game/session/verify', ...ours },
  heartbeat: {
    route: '/v1/game/session/heartbeat',
    batchRoute: '/v1/game/sessions/heartbeat',
    failed: '~5..|429',
  },
  end: { route: '/v1/game/session/end', batchRoute: '/v1/game/sessions/end', ...ours },
} as const satisfies Record<string, Operation>;

/** Makes a selector of a metric, as `metric` of alerts and `of` of boards do. */
type Select = (name: Answers, matchers?: Matchers<Answers>) => string;
type Answers = typeof responses | typeof failures | typeof items;

const responses = 'http_server_request_duration_seconds_count';
const failures = 'gsb_http_failed_responses_total';
const items = 'gsb_http_batch_items_total';

/** What failed of an operation, and items of its batches. */
const selectors = (
  select: Select,
  { route, batchRoute, failed }: Operation,
  ofItems: Matchers<typeof items>,
): string[] => {
  const failuresAt = (http_route: string): string =>
    select(failures, { http_route, http_response_status_code: failed });
  if (batchRoute === undefined) return [failuresAt(route)];
  return [failuresAt(route), failuresAt(batchRoute), select(items, { http_route: batchRoute, ...ofItems })];
};

/**
 * The answers to an operation as selectors whose series have no labels in common: single calls, the items of batches, and batches that
 * failed as a whole; a batch itself is 200 whatever becomes of its items (D-41).
 */
export const answersTo = (select: Select, operation: Operation): string[] => [
  select(responses, { http_route: operation.route, http_response_status_code: `!${operation.failed}` }),
  ...selectors(select, operation, {}),
];

/** Those of `answersTo` that are failures of ours. */
export const failuresOf = (select: Select, operation: Operation): string[] =>
  selectors(select, operation, { http_response_status_code: operation.failed });
