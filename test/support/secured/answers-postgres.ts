import { once } from 'node:events';
import { connect } from 'node:net';

/** SSLRequest of the protocol: eight bytes, which everything that speaks it answers with one letter. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Whether a server of Postgres' protocol answers on a port, and takes TLS. */
export const answersPostgres = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write(sslRequest);
    const [letter] = (await once(socket, 'data')) as [Buffer];
    return letter.toString() === 'S';
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};
