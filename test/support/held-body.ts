import { connect } from 'node:net';
import { until } from './eventually.ts';

const continued = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Sends the head of a request, a line each, and holds its body back; what its connection hears when the head has come. */
export const holdBody = async (port: number, head: readonly string[]) => {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let heard = '';
  socket.on('data', (data) => (heard += String(data)));
  socket.write([...head, 'Expect: 100-continue', '', ''].join('\r\n'));
  await until(() => heard.startsWith(continued), 'a head has come');
  return { socket, heard: () => heard.slice(continued.length) };
};
