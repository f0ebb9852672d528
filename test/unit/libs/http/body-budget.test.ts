import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, Socket } from 'node:net';
import { createBodyBudget } from '#libs/http/body-budget.ts';
import { until } from '../../../support/eventually.ts';

const someResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

/** A response for which a caller waits, until he goes. */
const awaited = async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const go = async () => {
    const closed = once(response, 'close');
    socket.destroy();
    await closed;
    server.close();
  };
  return { response, go };
};

describe('what long bodies may hold together (D-46)', () => {
  test('is taken to the last byte, and not beyond', () => {
    const budget = createBodyBudget(100);

    expect(budget.takes(60, someResponse())).toBe(true);
    expect(budget.takes(41, someResponse())).toBe(false);
    expect(budget.takes(40, someResponse())).toBe(true);
    expect(budget.takes(1, someResponse())).toBe(false);
  });

  test.each(['while his body is read', 'before that, while his key is looked at'])(
    'is given back once by a caller who goes %s',
    async (when) => {
      const budget = createBodyBudget(100);
      const { response, go } = await awaited();

      if (when.startsWith('before')) await go();
      expect(budget.takes(60, response)).toBe(true);
      if (!when.startsWith('before')) await go();

      await until(() => budget.takes(100, someResponse()), 'there is room again', 2_000);
      expect(budget.takes(1, someResponse())).toBe(false);
    },
  );
});
