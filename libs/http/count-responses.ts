import type { ErrorCode } from '#libs/contracts/errors.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';

/** A response: of which route, to which method, with which status, and how long it took. */
export interface Responded {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

/** What is measured of every response, whoever gives it. */
export const countResponses = (metrics: Metrics) => {
  const refusals = metrics.counter('gsb_http_refusals_total');
  const durations = metrics.histogram('http_server_request_duration_seconds');
  return {
    refused: (code: ErrorCode): void => refusals.inc({ code }),
    responded: ({ route, method, status, seconds }: Responded): void =>
      durations.observe(
        { http_route: route, http_request_method: method, http_response_status_code: String(status) },
        seconds,
      ),
  };
};
