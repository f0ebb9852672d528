import type { Endpoint } from '#libs/contracts/endpoint.ts';
import type { ErrorCode } from '#libs/contracts/errors.ts';
import { values } from '#libs/runtime/metric-catalog/labels.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** A response: of which route, to which method, with which status, and how long it took. */
export interface Responded {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

/** What is measured of every response, whoever gives it. */
export const countResponses = (metrics: Metrics, endpoints: readonly Pick<Endpoint, 'path' | 'method'>[]) => {
  const failures = metrics.counter('gsb_http_failed_responses_total');
  for (const { path: http_route, method: http_request_method } of endpoints)
    for (const http_response_status_code of values.failure)
      failures.inc({ http_route, http_request_method, http_response_status_code }, 0);
  const refusals = metrics.counter('gsb_http_refusals_total');
  const durations = metrics.histogram('http_server_request_duration_seconds');
  return {
    refused: (code: ErrorCode): void => refusals.inc({ code }),
    responded: ({ route, method, status, seconds }: Responded): void => {
      const http_response_status_code = String(status);
      const labels = { http_route: route, http_request_method: method, http_response_status_code };
      durations.observe(labels, seconds);
      if (values.failure.includes(http_response_status_code)) failures.inc(labels);
    },
  };
};

export type CountResponses = ReturnType<typeof countResponses>;
