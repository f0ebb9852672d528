import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint, Shed } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { createAdmission } from './admission.ts';
import type { Admission } from './admission.ts';
import { announcedBytes } from './body-budget.ts';
import { createConnectionLimit } from './connection-limit.ts';
import type { CountResponses } from './count-responses.ts';
import { requestPath } from './request-path.ts';
import { errorResponse } from './responses.ts';
import { answered, isSent, send, written } from './written-response.ts';
import type { Written } from './written-response.ts';

/** Those who are refused together do not all come back together: after 1 to 3 s. */
const retryAfterSec = () => randomInt(1, 4);
/** So many bytes of a batch's body count for one request more; what it has beyond the most counts no further. */
const bytesOfOne = 1_024;
const mostBytes = 131_072;

/** What a request counts for: others than batches as one, whatever their callers, who need not say who they are, put into them. */
const weightOf = (request: IncomingMessage, endpoint: Pick<Endpoint, 'maxBodyBytes'>): number =>
  endpoint.maxBodyBytes === undefined
    ? 1
    : 1 + Math.floor(Math.min(announcedBytes(request, endpoint), mostBytes) / bytesOfOne);

const overloaded = () => new Refusal('UNAVAILABLE', { retryAfterSec: retryAfterSec() });

/**
 * Takes requests in hand: each from when its body has come, if there is room then too, until it is answered. Before that it costs its connection
 * and what of its body has come: who sends slowly, and need not say who he is, must not keep others out.
 */
const createHands = (admission: Admission) => {
  const cameTooLate = new WeakSet<IncomingMessage>();
  return {
    hold: (request: IncomingMessage, response: ServerResponse, shed: Shed, weight: number): void => {
      let isOver = false;
      let done: (() => void) | undefined;
      request.once('end', () => {
        if (isOver || isSent(response)) return;
        if (admission.hasRoom(shed)) done = admission.take(shed, weight);
        else cameTooLate.add(request);
      });
      const over = (): void => {
        isOver = true;
        done?.();
        done = undefined;
      };
      // Whoever reads slowly, or not at all, keeps nobody out; and who goes may leave what is never answered.
      response.on(answered, over);
      response.on('close', over);
    },
    /** Whether a request that was held, and whose body has come, is in hand: of many heads that come together none knows of the others. */
    isInHand: (request: IncomingMessage): boolean => !cameTooLate.has(request),
  };
};

/**
 * Sends refusals together, when all that the event loop has read in its turn is looked at: a write wakes its reader, who takes the core for one
 * answer and sleeps again (D-46).
 */
const createRefuse = () => {
  let inThisTurn: (readonly [to: ServerResponse, refusal: Written])[] = [];
  const sendAll = (): void => {
    const all = inThisTurn;
    inThisTurn = [];
    for (const [to, refusal] of all) send(to, refusal);
  };
  return (to: ServerResponse, refusal: Written): void => {
    if (inThisTurn.length === 0) setImmediate(sendAll);
    inThisTurn.push([to, refusal]);
  };
};

interface SheddingOptions {
  readonly endpoints: readonly Endpoint[];
  readonly responses: CountResponses;
  readonly newRequestId: () => string;
  readonly metrics: Metrics;
  readonly maxConnections: number;
}

/**
 * Refuses requests that the process has no time for, as soon as their head has come, and once more when their body has: session starts first,
 * then tokens, then verifies, and heartbeats and ends last (D-46). So is what comes over a connection that is one too many.
 */
export const createShedding = (options: SheddingOptions) => {
  const { endpoints, responses, newRequestId, metrics, maxConnections } = options;
  const admission = createAdmission();
  const { hold, isInHand } = createHands(admission);
  const refuse = createRefuse();
  const { connected, isTooMany } = createConnectionLimit(maxConnections);
  const known = new Map(endpoints.map((each) => [`${each.method} ${each.path}`, each]));
  const shedRequests = metrics.counter('gsb_http_shed_requests_total');
  for (const { path } of endpoints) shedRequests.inc({ http_route: path }, 0);
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
    /**
     * Whether the request is to be served; otherwise it is answered, in this turn of the event loop. So is one whose answer is not heard, because
     * its connection closes before: Node reads on as long as nothing waits to be sent.
     */
    takes: (request: IncomingMessage, response: ServerResponse, isHeard = true): boolean => {
      const { method = '' } = request;
      const endpoint: Partial<Endpoint> = known.get(`${method} ${requestPath(request)}`) ?? {};
      const { shed = 'last', path = 'unmatched' } = endpoint;
      const isOneTooMany = isTooMany(request.socket);
      if (isOneTooMany) response.shouldKeepAlive = false;
      const isTaken = isHeard && !isOneTooMany && admission.hasRoom(shed);
      if (isTaken) hold(request, response, shed, weightOf(request, endpoint));
      else {
        note(path, method);
        refuse(response, written(errorResponse(newRequestId(), overloaded())));
      }
      return isTaken;
    },
    isInHand,
    /** The refusal of a request that was taken and whose body finds no room. Its response is counted where it is sent. */
    noRoomFor: (route: string): Refusal => {
      shedRequests.inc({ http_route: route });
      return overloaded();
    },
  };
};
