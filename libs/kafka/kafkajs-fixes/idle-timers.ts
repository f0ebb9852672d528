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

/**
 * kafkajs 2.2.4 looks for requests that have taken too long before it reads what came while the process stood still: every broker would be
 * found silent then. Here such a look is left out, and the next one finds what came.
 */
RequestQueue.prototype.scheduleRequestTimeoutCheck = function (this: RequestQueue): void {
  this.destroy();
  let lookedAt = Date.now();
  this.requestTimeoutIntervalId = setInterval(() => {
    const now = Date.now();
    const isLate = now - lookedAt > lateMs;
    lookedAt = now;
    if (isLate) return;
    for (const request of [...this.inflight.values()])
      if (now - request.sentAt > request.requestTimeout) request.timeoutRequest();
    if (!this.isConnected()) this.destroy();
  }, checkEveryMs);
};
