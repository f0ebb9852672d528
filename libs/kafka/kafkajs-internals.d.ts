declare module 'kafkajs/src/network/requestQueue/index.js' {
  /** The queue of one connection to a broker; not part of the public interface of kafkajs 2.2.4. */
  export default class RequestQueue {
    throttledUntil: number;
    readonly pending: readonly unknown[];
    scheduleCheckPendingRequests(): void;
  }
}
