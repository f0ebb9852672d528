const awayNames: ReadonlySet<string> = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
]);

/** Whether a broker refused a request for one of these reasons. */
export const isRefusal = (error: unknown, types: ReadonlySet<unknown>): boolean =>
  error instanceof Error && 'type' in error && types.has(error.type);

/** Whether a request failed because the broker that it was for cannot be reached, or refused it for one of these reasons. */
export const isAway = (error: Error, refusals: ReadonlySet<unknown>): boolean =>
  awayNames.has(error.name) || isRefusal(error, refusals);

/** kafkajs joins the group again for an error of this type. */
export class JoinAgain extends Error {
  readonly type = 'REBALANCE_IN_PROGRESS';
}
