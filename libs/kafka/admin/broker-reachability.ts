import { connect } from 'node:net';

const timeoutMs = 1_000;

const accepts = (broker: string): Promise<boolean> => {
  const [host = '', port = ''] = broker.split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: timeoutMs });
    const done = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', done(true)).once('error', done(false)).once('timeout', done(false));
  });
};

/** Whether any of the brokers accepts a connection within a second. */
export const anyBrokerReachable = async (brokers: readonly string[]): Promise<boolean> =>
  (await Promise.all(brokers.map(accepts))).includes(true);
