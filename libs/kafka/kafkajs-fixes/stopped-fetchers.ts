import Runner from 'kafkajs/src/consumer/runner.js';

const { fetch } = Runner.prototype;

/**
 * kafkajs 2.2.4 begins its fetches anew when the cluster has other brokers. A consumer that is stopped while it waits for the last of the
 * former fetches stops none of the new ones: each then asks whether there is nothing to fetch, without a pause and for ever, and the
 * process does nothing else any more. Here whoever asks after the stop ends them.
 */
Runner.prototype.fetch = async function (this: Runner, nodeId): Promise<readonly unknown[]> {
  // Not awaited: a fetcher has stopped when this, its own question, is answered.
  if (!this.running) void this.fetchManager.stop();
  return fetch.call(this, nodeId);
};
