import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { createAdmission } from './admission.ts';
import type { Admission } from './admission.ts';
import { createConnectionLimit } from './connection-limit.ts';
import { countResponses } from './count-responses.ts';
import { requestPath } from './request-path.ts';
import { errorResponse } from './responses.ts';
import { send, written } from './written-response.ts';

/** Those who are refused together do not all come back together: after 1 to 3 s. */
const retryAfterSec = () => randomInt(1, 4);
/** So many bytes of a batch's body count for one request more; what it has beyond the most counts no further. */
const bytesOfOne = 1_024;
const mostBytes = 131_072;

/** What a request counts for: others than batches as one, whatever their callers, who need not say who they are, put into them. */
const weightOf = (bytes: number, { maxBodyBytes }: Pick<Endpoint, 'maxBodyBytes'>): number =>
  maxBodyBytes === undefined ? 1 : 1 + Math.floor(Math.min(bytes, mostBytes) / bytesOfOne);

const overloaded = () => new Refusal('UNAVAILABLE', { retryAfterSec: retryAfterSec() });

/**
 * Takes a request in hand, if there is room, from when its body has come until it is answered: of many heads that come together none knows of the
 * others. Before that it costs its connection and what of its body has come: who sends slowly, and need not say who he is, must not keep others out.
 */
const takingInHand =
  (admission: Admission) =>
  (response: ServerResponse, endpoint: Endpoint, bytes: number): boolean => {
    const { shed = 'last' } = endpoint;
    if (!admission.hasRoom(shed)) return false;
    if (!response.destroyed) response.once('close', admission.take(shed, weightOf(bytes, endpoint)));
    return true;
  };

interface SheddingOptions {
  readonly endpoints: readonly Endpoint[];
  readonly newRequestId: () => string;
  readonly metrics: Metrics;
  readonly maxConnections: number;
}

/**
 * Refuses requests that the process has no time for, as soon as their head has come, and once more when their body has: session starts first,
 * then tokens, then verifies, and heartbeats and ends last (D-46). So is what comes over a connection that is one too many.
 */
export const createShedding = ({ endpoints, newRequestId, metrics, maxConnections }: SheddingOptions) => {
  const admission = createAdmission();
  const { connected, isTooMany } = createConnectionLimit(maxConnections);
  const known = new Map(endpoints.map((each) => [`${each.method} ${each.path}`, each]));
  const shedRequests = metrics.counter('gsb_http_shed_requests_total');
  for (const { path } of endpoints) shedRequests.inc({ http_route: path }, 0);
  const responses = countResponses(metrics);
  const note = (route: string, method: string): void => {
    shedRequests.inc({ http_route: route });
    responses.refused('UNAVAILABLE');
    responses.responded({ route, method, status: 503, seconds: 0 });
  };
  return {
    start: admission.start,
    stop: admission.stop,
    isBusy: admission.isBusy,
    connected,
    /** Whether there is room for a request whose head has come; otherwise it has been answered. */
    takes: (request: IncomingMessage, response: ServerResponse): boolean => {
      const { method = '' } = request;
      const endpoint: Partial<Endpoint> = known.get(`${method} ${requestPath(request)}`) ?? {};
      const { shed = 'last', path = 'unmatched' } = endpoint;
      const isOneTooMany = isTooMany(request.socket);
      if (isOneTooMany) response.shouldKeepAlive = false;
      const isTaken = !isOneTooMany && admission.hasRoom(shed);
      if (!isTaken) {
        note(path, method);
        send(response, written(errorResponse(newRequestId(), overloaded())));
      }
      return isTaken;
    },
    takesInHand: takingInHand(admission),
    /** The refusal of a request whose body finds no room, though its head did. Its response is counted where it is sent. */
    noRoomFor: (route: string): Refusal => {
      shedRequests.inc({ http_route: route });
      return overloaded();
    },
  };
};
