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
