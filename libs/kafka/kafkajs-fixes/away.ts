const awayNames: ReadonlySet<string> = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
]);

/** Whether a request failed because the broker that it was for cannot be reached. */
export const isBrokerAway = ({ name }: Error): boolean => awayNames.has(name);

/** The name by which a broker's refusal is known; undefined when no broker refused. */
export const refusalOf = (error: Error): string | undefined =>
  'type' in error && typeof error.type === 'string' ? error.type : undefined;
