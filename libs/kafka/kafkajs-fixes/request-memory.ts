import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const { fulfillRequest } = RequestQueue.prototype;

/**
 * kafkajs 2.2.4 keeps the requests of a connection in one Map for as long as it lives; each with its payload was kept alive by those before it
 * until the old objects were collected (D-64). Here the Map is another one whenever no request is under way.
 */
RequestQueue.prototype.fulfillRequest = function (this: RequestQueue, response): void {
  fulfillRequest.call(this, response);
  if (this.inflight.size === 0) this.inflight = new Map();
};
