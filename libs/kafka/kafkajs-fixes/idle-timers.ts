import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

/**
 * kafkajs 2.2.4 re-arms a timer with a negative delay after every response, throttled or not: each idle connection then wakes about
 * 900 times a second, 4 % of a core. With nothing pending and no throttle there is nothing to check, so no timer is set.
 */
const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;

RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  const idle = this.pending.length === 0 && this.throttledUntil <= Date.now();
  if (!idle) schedule.call(this);
};

const checkEveryMs = 500;
/** A look that comes so much later than it should found the process standing still. */
const lateMs = 1_000;

const stopTimers = RequestQueue.prototype.destroy;

/** The queues whose requests may take too long. */
const watched = new Set<RequestQueue>();
let timer: NodeJS.Timeout | undefined;
let lookedAt = 0;

const unwatch = (queue: RequestQueue): void => {
  watched.delete(queue);
  if (watched.size > 0) return;
  clearInterval(timer);
  timer = undefined;
};
const lookAt = (queue: RequestQueue, now: number): void => {
  for (const request of [...queue.inflight.values()])
    if (now - request.sentAt > request.requestTimeout) request.timeoutRequest();
  if (!queue.isConnected()) queue.destroy();
};
const look = (): void => {
  const now = Date.now();
  const isLate = now - lookedAt > lateMs;
  lookedAt = now;
  if (!isLate) for (const queue of [...watched]) lookAt(queue, now);
};
const watch = (queue: RequestQueue): void => {
  watched.add(queue);
  if (timer) return;
  lookedAt = Date.now();
  timer = setInterval(look, checkEveryMs);
};

/**
 * kafkajs 2.2.4 looks for requests that have taken too long before it reads what came while the process stood still: every broker would be
 * found silent then. Here such a look is left out, and the next one finds what came. One timer looks at all connections, of which a service has
 * seven or more: a timer for each is what wakes it most while nobody calls.
 */
RequestQueue.prototype.scheduleRequestTimeoutCheck = function (this: RequestQueue): void {
  stopTimers.call(this);
  watch(this);
};

RequestQueue.prototype.destroy = function (this: RequestQueue): void {
  unwatch(this);
  stopTimers.call(this);
};
